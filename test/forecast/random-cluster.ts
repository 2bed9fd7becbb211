import fc from "fast-check";
import { seconds } from "../../lambda/base/time.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { critical } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

/** A rule of a budget, as Kubernetes writes it. */
type Rule =
  | { readonly maxUnavailable: number | string }
  | { readonly minAvailable: number | string };

/** Pods of one workload, and how many of them are on each of the four nodes; the last node stays. */
export interface SomePods {
  readonly kind: "bare" | "Deployment" | "Job" | "StatefulSet";
  readonly on: readonly number[];
  readonly rules: readonly Rule[];
  readonly how: "critical" | "nowhere else" | "ordinary" | "protected" | "skipped";
  readonly health: "ready" | "unready";
}

const anyRule = fc.constantFrom<Rule>(
  { maxUnavailable: 0 },
  { maxUnavailable: 1 },
  { maxUnavailable: 1 },
  { maxUnavailable: 2 },
  { maxUnavailable: "30%" },
  { minAvailable: 1 },
  { minAvailable: 2 },
  { minAvailable: "50%" },
  { minAvailable: "100%" },
);

const somePods: fc.Arbitrary<SomePods> = fc.record({
  kind: fc.constantFrom("bare", "Deployment", "Deployment", "Job", "StatefulSet"),
  on: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }),
  rules: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: anyRule.map((rule) => [rule]) },
    { weight: 1, arbitrary: fc.tuple(anyRule, anyRule) },
  ),
  how: fc.constantFrom(
    "ordinary",
    "ordinary",
    "ordinary",
    "nowhere else",
    "critical",
    "protected",
    "skipped",
  ),
  health: fc.constantFrom("ready", "ready", "ready", "ready", "unready"),
});

/** The workloads of a small cluster. */
export const anyCluster = fc.array(somePods, { minLength: 1, maxLength: 4 });

const annotationsOf = ({ how, health }: SomePods): Readonly<Record<string, string>> => ({
  ...(how === "protected" && { "karpenter.sh/do-not-disrupt": "true" }),
  ...(how === "skipped" && { "eks-node-lifecycle/drain": "skip" }),
  ...(health === "unready" && { "hollow/ready": "false" }),
});

const specOf = ({ how }: SomePods) => ({
  ...(how === "critical" && critical),
  ...(how === "nowhere else" && { nodeSelector: { only: "leaving" } }),
});

/** Runs these workloads: app-0, app-1 and so on. */
export function populate(world: VirtualWorld, workloads: readonly SomePods[]): void {
  for (const [index, pods] of workloads.entries()) {
    run(world, `app-${index}`, pods);
    const selector = { matchLabels: { app: `app-${index}` } };
    for (const [number, rule] of rulesOf(pods).entries())
      world.cluster.addBudget({ name: `app-${index}-${number}`, selector, ...rule });
  }
  world.pass(seconds(30));
}

/** Nobody makes a Job's pods again here, so a budget that counts them stays spent. */
const rulesOf = ({ kind, rules }: SomePods): readonly Rule[] =>
  kind === "Job"
    ? rules.filter((rule) => "maxUnavailable" in rule || typeof rule.minAvailable === "string")
    : rules;

function run({ cluster }: VirtualWorld, name: string, some: SomePods): void {
  const nodes = some.on.flatMap((count, index) =>
    Array.from({ length: count }, () => nodeOf(index + 1)),
  );
  const pods = nodes.map((node, index) => ({ name: `${name}-${index}`, node }));
  const annotations = annotationsOf(some);
  const workload = { name, annotations, spec: specOf(some) };
  if (pods.length === 0) return;
  if (some.kind === "Deployment")
    cluster.addDeployment({ ...workload, replicas: pods.length, pods });
  else if (some.kind === "StatefulSet")
    cluster.addStatefulSet({ ...workload, replicas: pods.length, pods });
  else
    for (const pod of pods)
      cluster.addPod({
        ...workload,
        ...pod,
        labels: { app: name },
        ownerReferences: ownersOf(some.kind, name),
      });
}

const ownersOf = (kind: "bare" | "Job", name: string) =>
  kind === "bare"
    ? []
    : [{ apiVersion: "batch/v1", kind, name, uid: `job-${name}`, controller: true }];
