import { setTimeout } from "node:timers/promises";
import { attachments, budgets } from "../../lambda/adapters/collections.ts";
import { type Collection, Follower } from "../../lambda/adapters/follower.ts";
import { readStatus } from "../../lambda/adapters/status-schema.ts";
import { systemClock } from "../../lambda/adapters/system-clock.ts";
import { Bell } from "../../lambda/bell.ts";
import { markingFor } from "../../lambda/domain/marking.ts";
import type { Node } from "../../lambda/domain/node.ts";
import type { Pod } from "../../lambda/domain/pod.ts";
import { instant, seconds } from "../../lambda/domain/time.ts";
import { ask, type Question } from "./ask.ts";
import type { Caller } from "./ground.ts";

/** Somebody at work, and on what. */
export interface Worker {
  readonly caller: Caller;
  readonly node: Node;
  readonly pod: Pod;
  /** Changes a pod, a budget and an attachment. */
  stir(): Promise<void>;
}

const system = "/api/v1/namespaces/kube-system";
const awsAuth = `${system}/configmaps/aws-auth`;
const aboutAwsAuth = { kind: "ConfigMap", name: "aws-auth", namespace: "kube-system" };
const mostLooks = 250;

/** What the function does with each permission, and what it is told; what cannot be done throws or is told. */
export const works: Readonly<Record<string, (worker: Worker) => Promise<unknown>>> = {
  "get nodes": ({ caller, node }) => caller.cluster.node(node.name),
  "list nodes": ({ caller }) => caller.cluster.nodes(),
  "patch nodes": ({ caller, node }) =>
    caller.cluster.mark(node, markingFor(node, [], instant(Date.now()))),
  "list pods": followPods,
  "watch pods": followPods,
  "create pods/eviction": ({ caller, pod }) => caller.cluster.evict(pod, "own"),
  "delete pods": ({ caller, pod }) => caller.cluster.remove(pod, seconds(30)),
  "get persistentvolumeclaims": ({ caller, pod }) => caller.cluster.volumesOf(pod),
  "get daemonsets": ({ caller, pod }) => caller.cluster.daemonSet(pod.namespace, "agent"),
  "list poddisruptionbudgets": (worker) => listFirst(budgets, worker),
  "watch poddisruptionbudgets": followPods,
  "list volumeattachments": (worker) => listFirst(attachments, worker),
  "watch volumeattachments": followAttachments,
  "watch nodes": ({ caller }) =>
    asked(caller, { path: "/api/v1/nodes?watch=true&timeoutSeconds=1" }),
  "create configmaps": (worker) => tried(worker, "configmaps", { metadata: { name: "new" } }),
  "create events": (worker) =>
    tried(worker, "events", { metadata: { name: "new" }, involvedObject: aboutAwsAuth }),
  "get configmaps": ({ caller }) => asked(caller, { path: awsAuth }),
  "update configmaps": ({ caller }) =>
    asked(caller, {
      method: "PUT",
      path: `${awsAuth}?dryRun=All`,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "aws-auth" } },
    }),
};

/** Tries to make something, and leaves nothing. */
const tried = ({ caller }: Worker, collection: string, body: object): Promise<void> =>
  asked(caller, { method: "POST", path: `${system}/${collection}?dryRun=All`, body });

async function followPods({ caller, node, pod, stir }: Worker): Promise<void> {
  const view = await caller.cluster.follow(node.name, new Bell());
  const { namespace } = pod;
  try {
    await stir();
    await seen(() => view.pods().some(({ labels }) => "stirred" in labels));
    await seen(() => view.budgets().some((budget) => budget.namespace === namespace));
  } finally {
    view.close();
  }
}

async function followAttachments({ caller, pod, stir }: Worker): Promise<void> {
  const view = await caller.cluster.followAttachments(new Bell());
  try {
    await stir();
    await seen(() => view.attachments().some(({ name }) => name === pod.namespace));
  } finally {
    view.close();
  }
}

/** Follows a collection as on a server that cannot stream it, or after a watch that was too old. */
async function listFirst<T>(collection: Collection<T>, { caller }: Worker): Promise<void> {
  const following = { connection: caller.connection, clock: systemClock, bell: new Bell() };
  const follower = new Follower({ ...collection, start: "listed" }, following);
  await follower.start();
  follower.close();
}

/** Looks until it is there, or until looking throws. */
async function seen(look: () => boolean): Promise<void> {
  for (let looks = 0; !look(); looks += 1) {
    if (looks === mostLooks) throw new Error("nothing was heard");
    await setTimeout(100);
  }
}

/** A request that is not part of a drain; it throws what the server says against it. */
async function asked({ connection }: Caller, question: Question): Promise<void> {
  const { status, body } = await ask(await connection.current(), question);
  if (status >= 300) throw new Error(readStatus(body).message);
}
