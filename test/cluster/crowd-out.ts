import { vi } from "vitest";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { ask } from "../contract/ask.ts";
import type { Caller } from "../contract/ground.ts";
import { theFunction } from "../contract/identities.ts";
import type { ControlPlane } from "./control-plane.ts";

const patience = { timeout: 30_000, interval: 50 };

/**
 * Limits the function to one concurrent request in the namespace of a pending pod, and occupies
 * that seat.
 */
export async function crowdOut(
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
