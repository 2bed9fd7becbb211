import {
  actionToken,
  groupName,
  hookName,
  instanceId,
  nodeName,
  nodeUid,
  type PodUid,
  podUid,
} from "../../lambda/base/ids.ts";
import {
  type Duration,
  hours,
  type Instant,
  instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { Cause } from "../../lambda/drain/cause.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { type Ledger, ledgerWithLimit, type PodAttempt } from "../../lambda/drain/ledger.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Controller, Pod, Termination } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import type { LifecycleAction } from "../../lambda/notice/lifecycle-action.ts";
import type { Terminating } from "../../lambda/notice/notice.ts";

/** The default moment of a test. */
export const noon = instant(Date.UTC(2026, 10, 20, 12));

/** The cause of a mark by a hook's drain that has until 12:15. */
export const aCause = (change: Partial<Cause> = {}): Cause => ({
  reason: "terminating",
  deadline: later(noon, minutes(15)),
  ...change,
});

/** A moment before noon. */
export const ago = (by: Duration): Instant => later(noon, milliseconds(-by));

/** A moment after noon. */
export const ahead = (by: Duration): Instant => later(noon, by);

/** The node that is drained in most tests. */
export const drained = nodeName("ip-192-168-18-230.eu-west-1.compute.internal");

/** A pod's termination, with a grace that lasts until then; half a minute of it unless a test says since when. */
export const endingBy = (
  until: Instant,
  since: Instant = later(until, milliseconds(-30_000)),
): Termination => ({ kind: "terminating", since, until });

/** A controller of some Kind that is named after it. */
export const ownedBy = (type: string, apiVersion = "apps/v1"): Controller => ({
  kind: "owner",
  type,
  apiVersion,
  name: type.toLowerCase(),
  uid: `uid of the ${type}`,
});

/** An ordinary pod of a Deployment, running and ready. */
export function aPod(change: Partial<Pod> = {}): Pod {
  const { namespace = "demo", name = "web-1" } = change;
  return {
    namespace,
    name,
    uid: uidOf(namespace, name),
    node: drained,
    phase: "Running",
    ready: true,
    created: ago(minutes(60)),
    started: ago(minutes(60)),
    controller: ownedBy("ReplicaSet"),
    mirror: false,
    priorityClass: "",
    grace: seconds(30),
    termination: { kind: "active" },
    labels: { app: "web" },
    annotations: {},
    tolerations: [],
    finalizers: [],
    claims: [],
    localStorage: false,
    csiNodePlugin: false,
    ...change,
  };
}

const uidOf = (namespace: string, name: string): PodUid => podUid(`uid of ${namespace}/${name}`);

/** Pods of the same kind, under these names. */
export const somePods = (names: readonly string[], change: Partial<Pod> = {}): readonly Pod[] =>
  names.map((name) => aPod({ ...change, name }));

/** A critical pod. */
export const aCriticalPod = (change: Partial<Pod> = {}): Pod =>
  aPod({
    namespace: "kube-system",
    name: "coredns-1",
    labels: { "k8s-app": "kube-dns" },
    priorityClass: "system-cluster-critical",
    ...change,
  });

/** A pod of a DaemonSet. */
export const aDaemonPod = (change: Partial<Pod> = {}): Pod =>
  aPod({
    namespace: "kube-system",
    name: "aws-node-1",
    labels: { "k8s-app": "aws-node" },
    controller: ownedBy("DaemonSet"),
    ...change,
  });

/** A node that is ready and cordoned. */
export function aNode(change: Partial<Node> = {}): Node {
  return {
    name: drained,
    uid: nodeUid("uid of the node"),
    providerId: "aws:///eu-west-1a/i-07e9ea9eb19a67337",
    resourceVersion: "1",
    unschedulable: true,
    readiness: "ready",
    readinessSince: instant(Date.parse("2026-11-20T09:00:00Z")),
    readinessMessage: "kubelet is posting ready status",
    labels: {},
    annotations: {},
    taints: [],
    volumes: [],
    ...change,
  };
}

/** A budget over the pods of `aPod` that allows one disruption. */
export function aBudget(change: Partial<Budget> = {}): Budget {
  return {
    namespace: "demo",
    name: "web-pdb",
    resourceVersion: "7",
    selector: { kind: "labels", requirements: [{ key: "app", operator: "In", values: ["web"] }] },
    rule: { kind: "maxUnavailable", amount: 1 },
    meetable: "sometimes",
    uncounted: "",
    disruptionsAllowed: 1,
    currentHealthy: 4,
    desiredHealthy: 3,
    expectedPods: 4,
    observed: true,
    unhealthyPods: "if-healthy-budget",
    disrupted: new Map(),
    spent: instant(0),
    ...change,
  };
}

/** A budget over the pods of `aPod` that allows no disruption. */
export const anExhaustedBudget = (change: Partial<Budget> = {}): Budget =>
  aBudget({ disruptionsAllowed: 0, currentHealthy: 3, ...change });

/** The settings that a deployment has by default. */
export const someSettings = (change: Partial<DrainSettings> = {}): DrainSettings => ({
  ...drainPolicyIn({}, []).settingsFor({}).settings,
  ...change,
});

/** A request of a second ago without an answer yet. */
export function anAttempt(change: Partial<PodAttempt> = {}): PodAttempt {
  return {
    verb: "evict",
    asked: ago(seconds(1)),
    answer: { kind: "pending" },
    refusals: 0,
    notBefore: never,
    budgetVersion: "",
    ...change,
  };
}

/** A ledger with room for 20 requests, and with the last attempt for each of the given pods. */
export const aLedger = (...attempts: readonly (readonly [Pod, Partial<PodAttempt>])[]): Ledger => ({
  ...ledgerWithLimit(20),
  attempts: new Map(attempts.map(([pod, attempt]) => [pod.uid, anAttempt(attempt)])),
});

/** A node that was marked a minute ago and has 14 minutes left, with nothing on it; its pods came before the mark. */
export function aSnapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    now: noon,
    node: aNode(),
    marked: ago(minutes(1)),
    orphaned: new Set(),
    settings: someSettings(),
    budgetGrace: hours(1000),
    mark: "set",
    othersLease: instant(0),
    begun: instant(0),
    deadline: ahead(minutes(14)),
    triesUntil: change.deadline ?? ahead(minutes(14)),
    listed: ago(seconds(50)),
    pods: [],
    budgets: [],
    unread: new Map(),
    ledger: aLedger(),
    accounts: new Map(),
    volumes: { kind: "none" },
    room: new Map(),
    seenSinceMark: new Set((change.pods ?? []).map(({ uid }) => uid)),
    ...change,
  };
}

/** The lifecycle action of the instance that is drained in most tests. */
export function anAction(change: Partial<LifecycleAction> = {}): LifecycleAction {
  return {
    group: groupName("workers"),
    hook: hookName("Terminate-LC-Hook"),
    token: actionToken("465e0162-e6af-4786-b4e8-bb544ae58797"),
    instance: instanceId("i-07e9ea9eb19a67337"),
    ...change,
  };
}

/** A notice of a minute ago that an instance terminates. */
export function aTerminatingNotice(change: Partial<Terminating> = {}): Terminating {
  return {
    kind: "terminating",
    action: anAction(),
    origin: "group",
    destination: "terminated",
    metadata: "",
    since: ago(minutes(1)),
    ...change,
  };
}
