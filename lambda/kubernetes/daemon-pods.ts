import type { V1Pod } from "@kubernetes/client-node";
import type { NodeName } from "../base/ids.ts";
import type { DaemonPods } from "../upgrade/fleet-nodes.port.ts";
import type { AsSent } from "./as-sent.ts";
import { pagesOf } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient } from "./kube-client.ts";
import { podOf } from "./pod-of.ts";

interface DaemonPod {
  /** The node that it is bound to, or is meant for; empty for a pod of no DaemonSet. */
  readonly node: string;
  readonly readiness: "not-ready" | "ready";
}

/** Counts the pods of DaemonSets on a node, and those that are meant for it but find no place there. */
export async function daemonPodsOf(client: KubeClient, node: NodeName): Promise<DaemonPods> {
  const selectors = [`spec.nodeName=${node}`, "spec.nodeName=,status.phase=Pending"];
  const found = await Promise.all(selectors.map((selector) => daemonPods(client, selector)));
  const own = found.flat().filter((pod) => pod.node === node);
  return { wanted: own.length, ready: own.filter(({ readiness }) => readiness === "ready").length };
}

function daemonPods(client: KubeClient, fieldSelector: string): Promise<readonly DaemonPod[]> {
  const title = `pods with ${fieldSelector}`;
  const query = { fieldSelector };
  const shape = { path: "/api/v1/pods", start: "listed", uid: () => "" } as const;
  const pods = collectionOf({ title, query, itemOf: daemonPodOf, ...shape });
  return client.ask(`listing ${title}`, async (connection) => {
    const found: DaemonPod[] = [];
    for await (const { items } of pagesOf(pods, connection))
      found.push(...items.filter(({ node }) => node !== ""));
    return found;
  });
}

function daemonPodOf(sent: AsSent<V1Pod>): DaemonPod {
  const { controller, node, ready, termination } = podOf(sent);
  const isReady = ready && node !== "" && termination.kind === "active";
  return {
    node:
      controller.kind === "owner" && controller.type === "DaemonSet" ? node || meantFor(sent) : "",
    readiness: isReady ? "ready" : "not-ready",
  };
}

/** The DaemonSet controller names the node of a pod by an affinity, and the scheduler binds the pod if it fits. */
function meantFor({ spec }: AsSent<V1Pod>): string {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } =
    spec?.affinity?.nodeAffinity ?? {};
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0] ?? "";
}
