import fc from "fast-check";
import type { Labels } from "../../lambda/base/labels.ts";
import { type Instant, later, milliseconds, never, seconds } from "../../lambda/base/time.ts";
import type { Budget, Selector } from "../../lambda/drain/budget.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Ledger, PodAttempt } from "../../lambda/drain/ledger.ts";
import type { Controller, Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot, Volumes } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  ago,
  aNode,
  anAttempt,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  ownedBy,
  someSettings,
} from "../support/builders.ts";

const graces = [0, 1, 30, 600, 3600].map(seconds);

/** A moment some seconds before or after noon, give or take a millisecond. */
const near = (least: number, most: number): fc.Arbitrary<Instant> =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: -1, max: 1 }))
    .map(([count, more]) => later(noon, milliseconds(count * 1000 + more)));

const usually = <T>(value: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, fc.constantFrom(value, ...others));

const anyLabels = fc.constantFrom<Labels>(
  { app: "web" },
  { app: "web", tier: "front" },
  { app: "api" },
  {},
);
const anyNamespace = usually("demo", "kube-system", "shop");
const anyController = usually<Controller>(
  ownedBy("ReplicaSet"),
  ownedBy("DaemonSet"),
  ownedBy("Job", "batch/v1"),
  { kind: "none" },
);
const anyAnnotations = usually<Labels>(
  {},
  { "karpenter.sh/do-not-disrupt": "true" },
  { "karpenter.sh/do-not-disrupt": "10m" },
  { "karpenter.sh/do-not-disrupt": "soon" },
  { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" },
  { "eks-node-lifecycle/drain": "skip" },
  { "eks-node-lifecycle/drain": "wait-completed" },
);
const everything = [{ key: "", operator: "Exists", value: "", effect: "" }];
const anyTermination = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "active" } as const) },
  near(-120, 1800).map(endingBy),
);

const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    namespace: anyNamespace,
    name: fc.nat(9).map((number) => `pod-${number}`),
    phase: usually<Pod["phase"]>("Running", "Pending", "Succeeded", "Failed", "Unknown"),
    ready: usually(true, false),
    created: near(-3600, 0),
    started: near(-3600, 0),
    controller: anyController,
    mirror: usually(false, false, false, true),
    priorityClass: usually("", "system-cluster-critical", "system-node-critical"),
    grace: fc.constantFrom(...graces),
    termination: anyTermination,
    labels: anyLabels,
    annotations: anyAnnotations,
    tolerations: usually<Pod["tolerations"]>([], everything),
  })
  .map(aPod);

const needs = (key: string, ...values: readonly string[]): Selector => ({
  kind: "labels",
  requirements: [{ key, operator: values.length === 0 ? "Exists" : "In", values }],
});
const anySelector = usually<Selector>(
  needs("app", "web"),
  needs("app", "api"),
  needs("tier"),
  { kind: "labels", requirements: [] },
  { kind: "nothing" },
);

const anyBudget: fc.Arbitrary<Budget> = fc
  .record({
    namespace: anyNamespace,
    name: fc.nat(5).map((number) => `budget-${number}`),
    resourceVersion: fc.constantFrom("6", "7"),
    selector: anySelector,
    disruptionsAllowed: fc.integer({ min: -1, max: 3 }),
    currentHealthy: fc.nat(3),
    desiredHealthy: fc.nat(3),
    observed: usually(true, false),
    unhealthyPods: fc.constantFrom("always-allow" as const, "if-healthy-budget" as const),
    disrupted: fc
      .subarray(["pod-1", "pod-2", "pod-3"])
      .map((names) => new Map(names.map((name) => [name, noon]))),
  })
  .map(aBudget);

const message = "no";
const anyAnswer = fc.constantFrom<PodAttempt["answer"]>(
  { kind: "pending" },
  { kind: "accepted" },
  { kind: "gone" },
  { kind: "conflict", message },
  { kind: "blocked", message, retryAfter: "unsaid" },
  { kind: "overlapping-budgets", message },
  { kind: "throttled", message, retryAfter: "unsaid" },
  { kind: "namespace-terminating", message },
  { kind: "denied", message },
  { kind: "without-effect", message },
  { kind: "unclear", message, retryAfter: "unsaid" },
);

const anyAttempt: fc.Arbitrary<PodAttempt> = fc
  .record({
    verb: fc.constantFrom("evict" as const, "delete" as const),
    answer: anyAnswer,
    refusals: fc.nat(5),
    notBefore: near(-10, 10),
    budgetVersion: fc.constantFrom("", "6", "7"),
  })
  .map((attempt) =>
    anAttempt(attempt.answer.kind === "pending" ? { ...attempt, notBefore: never } : attempt),
  );

const anyLedger = (pods: readonly Pod[]): fc.Arbitrary<Ledger> =>
  fc.record({
    attempts: fc
      .tuple(fc.subarray([...pods]), fc.infiniteStream(anyAttempt))
      .map(([asked, attempts]) => new Map(asked.map(({ uid }) => [uid, attempts.next().value]))),
    pausedUntil: usually(ago(seconds(5)), noon, later(noon, milliseconds(1)), never),
    limit: fc.integer({ min: 1, max: 6 }),
    terminatingNamespaces: usually<Ledger["terminatingNamespaces"]>(
      new Map(),
      new Map([["demo", ago(seconds(29))]]),
      new Map([["demo", ago(seconds(30))]]),
    ),
  });

const aTaint = { key: "example.com/draining", value: "", effect: "NoSchedule", timeAdded: "" };

const anySettings: fc.Arbitrary<DrainSettings> = fc
  .record({
    force: usually<DrainSettings["force"]>("at-deadline", "never"),
    tiers: usually<DrainSettings["tiers"]>("critical-last", "none"),
    tierPercent: usually(75, 0, 50, 100),
    protections: fc.subarray([...someSettings().protections]),
    taints: usually<DrainSettings["taints"]>([], [aTaint]),
    daemonSets: usually<DrainSettings["daemonSets"]>("leave", "evict"),
    mode: usually<DrainSettings["mode"]>("evict", "evict", "evict", "cordon-only"),
  })
  .map(someSettings);

/** Any snapshot: times around noon, and pods and budgets with so few names and labels that they often match. */
const anyVolumes: fc.Arbitrary<Volumes> = fc.oneof(
  fc.constantFrom<Volumes>({ kind: "none" }, { kind: "unread" }),
  fc.record({
    kind: fc.constant("read" as const),
    attached: fc.constantFrom([], ["pv-1"]),
    until: near(-1, 300),
  }),
);

export const anySnapshot: fc.Arbitrary<Snapshot> = fc
  .uniqueArray(anyPod, { selector: ({ uid }) => uid, maxLength: 10 })
  .chain((pods) =>
    fc.record({
      pods: fc.constant(pods),
      node: usually(
        aNode(),
        aNode({ readiness: "not-ready" }),
        aNode({ readiness: "unreachable" }),
      ),
      marked: near(-60, 0),
      orphaned: usually<ReadonlySet<string>>(
        new Set(),
        new Set(["kube-system/uid of the DaemonSet"]),
      ),
      settings: anySettings,
      deadline: near(-1, 1200),
      listed: near(-60, 0),
      budgets: fc.uniqueArray(anyBudget, {
        selector: ({ namespace, name }) => `${namespace}/${name}`,
        maxLength: 5,
      }),
      ledger: anyLedger(pods),
      volumes: anyVolumes,
    }),
  )
  .map(aSnapshot);
