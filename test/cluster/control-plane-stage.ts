import { VersionApi } from "@kubernetes/client-node";
import { vi } from "vitest";
import { ownTaintText } from "../../lambda/drain/own-taint.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { Administrator } from "../contract/administrator.ts";
import { ask } from "../contract/ask.ts";
import { type Caller, clusterName, type Ground, startGround } from "../contract/ground.ts";
import {
  account,
  awsAuth,
  keys,
  rbac,
  theAdministrator,
  theDeprived,
  theFunction,
} from "../contract/identities.ts";
import { taint } from "../contract/marking-nodes.ts";
import type { Heard, Stage } from "../contract/stage.ts";
import { configurationOf } from "../support/configuration-of.ts";
import type { AuditEntry } from "./audit-log.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { ControlPlaneOptions } from "./control-plane-options.ts";
import { fences } from "./fences.ts";
import { namespace } from "./manifests.ts";

const patience = { timeout: 60_000, interval: 100 };

/**
 * Limits the function to one concurrent request in the namespace of a pending pod, and occupies
 * that seat.
 */
async function crowdOut(
  pod: Pod,
  { controlPlane, function: { client } }: { controlPlane: ControlPlane; function: Caller },
): Promise<void> {
  const { namespace } = pod;
  const [level, schema] = oneSeat(namespace);
  await controlPlane.apply(level, schema);
  const open = await client.connection();
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const uid = await controlPlane.kubectlText(
    "get",
    "prioritylevelconfiguration",
    level.metadata.name,
    "--output=jsonpath={.metadata.uid}",
  );
  await vi.waitFor(async () => {
    const { headers } = await ask(open, { path });
    if (headers["x-kubernetes-pf-prioritylevel-uid"] !== uid) throw new Error("not there yet");
  }, patience);
  const sitting = sit(open, pod);
  await vi.waitFor(async () => {
    const { status } = await ask(open, { path });
    if (status !== 429) throw new Error(`there is still a seat: HTTP ${status}`);
  }, patience);
  void sitting;
}

/**
 * Evicts a pod under a wrong UID, which keeps the server busy for ten seconds, and repeats that
 * while it runs.
 */
async function sit(connection: KubeConnection, { namespace, name }: Pod): Promise<void> {
  const metadata = { namespace, name };
  const deleteOptions = { preconditions: { uid: "another" } };
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  for (let status = 409; status === 409 || status === 429; )
    ({ status } = await ask(connection, { method: "POST", path, body }).catch(() => ({
      status: 0,
    })));
}

/** A priority level with one seat, for the function's requests in one namespace. */
function oneSeat(namespace: string) {
  const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
  const metadata = { name: `one-seat-in-${namespace}` };
  const limited = {
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: "Reject" },
  };
  const subjects = [{ kind: "User", user: { name: theFunction.role } }];
  const all = ["*"];
  const resourceRules = [{ verbs: all, apiGroups: all, resources: all, namespaces: [namespace] }];
  const rules = [{ subjects, resourceRules }];
  const level = {
    apiVersion,
    kind: "PriorityLevelConfiguration",
    metadata,
    spec: { type: "Limited", limited },
  };
  const schema = {
    apiVersion,
    kind: "FlowSchema",
    metadata,
    spec: { matchingPrecedence: 2, priorityLevelConfiguration: metadata, rules },
  };
  return [level, schema] as const;
}

const nodes = ["node-1", "node-2", "node-3"] as const;

/**
 * Starts a real control plane with an AWS account around it; its authenticator checks every caller.
 */
export async function startControlPlaneStage(env: ControlPlaneOptions["env"] = {}): Promise<Stage> {
  const timeline = new WallTimeline();
  const ground = await startGround(timeline);
  const controlPlane = await startControlPlane({
    nodes: nodes.map((name, index) => ({
      name,
      instanceId: `i-0000000000000000${index + 1}`,
      zone: "eu-west-1a",
    })),
    cluster: clusterName,
    env,
  });
  ground.built(controlPlane.url, controlPlane.certificateAuthority);
  await admit(controlPlane, ground);
  const connection = await ground.caller(theAdministrator.role).client.connection();
  const administrator = new Administrator(connection);
  return {
    nodes,
    administrator,
    caller: ground.caller,
    namespace: (name) => settled(administrator, name),
    async heard() {
      const entries = await controlPlane.audit();
      return entries.filter(({ user }) => user === theFunction.role).map(heardOf);
    },
    throttle: (pod) => crowdOut(pod, { controlPlane, function: ground.caller(theFunction.role) }),
    async stop() {
      await controlPlane.stop();
      await ground.server.close();
      timeline.stop();
    },
  };
}

/** Gives every caller access by aws-auth and RBAC, and waits until it works. */
async function admit(controlPlane: ControlPlane, { caller }: Ground): Promise<void> {
  for (const { accessKeyId, secretAccessKey, principal } of keys)
    await controlPlane.addAccessKey({ accessKeyId, secretAccessKey, arn: principal.arn });
  const limits = { ownTaint: ownTaintText([taint]), account: `arn:aws:iam::${account.id}` };
  await controlPlane.apply(...fences({ ...limits, conditions: "on", outOfService: "taint" }));
  await controlPlane.apply(...rbac.map((object) => JSON.stringify(object)), awsAuth);
  const everybody = [theFunction, theAdministrator, ...theDeprived.values()];
  await Promise.all(
    everybody.map(async ({ role }) => {
      const { client } = caller(role);
      const knock = () =>
        client.once((connection) => new VersionApi(configurationOf(connection)).getCode());
      await vi.waitFor(knock, patience);
    }),
  );
}

/** Waits for the namespace's service account: pods need it, and a controller creates it. */
async function settled(administrator: Administrator, name: string): Promise<void> {
  await administrator.make(namespace(name));
  const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await vi.waitFor(async () => {
    const { status } = await administrator.ask({ path });
    if (status !== 200) throw new Error(`no service account in ${name}`);
  }, patience);
}

function heardOf(entry: AuditEntry): Heard {
  const { verb, uri, resource = "", subresource, name = "", code = 0, requestObject } = entry;
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name,
    uri,
    code,
    body: requestObject,
  };
}
