import fc from "fast-check";
import { aTrouble, type PlannedTrouble } from "./random-trouble.ts";

/** The kinds of workload in a random world. */
const kinds = [
  "ordinary",
  "critical",
  "bare",
  "stateful",
  "daemon",
  "mirror",
  "ended",
  "protected",
  "skipped",
  "tolerant",
  "waiting",
  "dated",
  "volume",
  "slow-volume",
] as const;

/** Pods of one kind on the terminating node. */
export interface PlannedPods {
  readonly kind: (typeof kinds)[number];
  readonly count: number;
  readonly grace: number;
  /** How many seconds the containers take to end; the kubelet kills those that never end. */
  readonly ending: number | "never";
  readonly health: "ready" | "unready";
  /** The rule of its budget, or none. */
  readonly budget: number | string | "none";
  /** How many budgets with that rule select the pods. */
  readonly budgets: number;
  readonly finalizers: "kept" | "none";
}

/** Something that somebody else does, so many seconds after the start. */
export interface PlannedDeed {
  readonly after: number;
  readonly what:
    | "count budgets again"
    | "delete a pod"
    | "mend budgets"
    | "remove the node"
    | "run a pod"
    | "silence the kubelet"
    | "taint"
    | "uncordon";
}

/** A world, and the faults in it. */
export interface Plan {
  readonly pods: readonly PlannedPods[];
  readonly timeout: number;
  readonly force: "at-deadline" | "never";
  readonly concurrency: number;
  readonly taint: string;
  /** The hook's heartbeat timeout in seconds. */
  readonly heartbeat: number;
  /** Whether the disruption controller works from the start. */
  readonly budgets: "observed" | "unobserved";
  /** How many seconds after the first instance another one terminates, if any does. */
  readonly peer: number | "none";
  readonly deeds: readonly PlannedDeed[];
  readonly troubles: readonly PlannedTrouble[];
  /** Seeds the random numbers of the function's code. */
  readonly seed: number;
}

const somePods: fc.Arbitrary<PlannedPods> = fc.record({
  kind: fc.constantFrom(...kinds),
  count: fc.integer({ min: 1, max: 3 }),
  grace: fc.constantFrom(1, 5, 30, 90, 300),
  ending: fc.constantFrom<PlannedPods["ending"]>(0, 1, 7, 45, 200, "never"),
  health: fc.constantFrom("ready", "ready", "ready", "unready"),
  budget: fc.constantFrom<PlannedPods["budget"]>("none", "none", 0, 1, "50%"),
  budgets: fc.constantFrom(1, 1, 1, 2),
  finalizers: fc.constantFrom("none", "none", "none", "none", "none", "kept"),
});

const aDeed: fc.Arbitrary<PlannedDeed> = fc.record({
  after: fc.integer({ min: 0, max: 300 }),
  what: fc.constantFrom(
    "count budgets again",
    "delete a pod",
    "mend budgets",
    "remove the node",
    "run a pod",
    "run a pod",
    "silence the kubelet",
    "taint",
    "uncordon",
  ),
});

/** Any world, with any faults in it. */
export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  pods: fc.array(somePods, { maxLength: 6 }),
  timeout: fc.constantFrom(120, 120, 300, 400),
  force: fc.constantFrom("at-deadline", "at-deadline", "never"),
  concurrency: fc.constantFrom(1, 3, 20),
  taint: fc.constantFrom("", "example.com/draining=true:NoSchedule"),
  heartbeat: fc.constantFrom(60, 120, 1800),
  budgets: fc.constantFrom("observed", "observed", "observed", "unobserved"),
  peer: fc.constantFrom<Plan["peer"]>("none", "none", 0, 20),
  deeds: fc.array(aDeed, { maxLength: 3 }),
  troubles: fc.oneof(fc.constant([]), fc.array(aTrouble, { maxLength: 4 })),
  seed: fc.nat(),
});
