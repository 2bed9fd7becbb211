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
  /** The number of the node that most of the pods are on; the second may be drained as well. */
  readonly on: 1 | 2;
  /** How many budgets with that rule select the pods. */
  readonly budgets: number;
  readonly finalizers: "kept" | "none";
}

/** Something that somebody else does, so many seconds after the start. */
export interface PlannedDeed {
  readonly after: number;
  /** The number of the node that it is done to. */
  readonly to: 1 | 2;
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

/** The second instance that terminates. */
export interface PlannedPeer {
  /** How many seconds after the first. */
  readonly after: number;
  /** How many seconds later its notice becomes visible in the queue. */
  readonly late: number;
  /** The settings of its own group, or `same` if it is in the group of the first. */
  readonly group: "same" | Pick<Plan, "force" | "timeout">;
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
  /** The second instance that terminates, if any does. */
  readonly peer: PlannedPeer | "none";
  readonly deeds: readonly PlannedDeed[];
  readonly troubles: readonly PlannedTrouble[];
  /** Seeds the random numbers of the function's code. */
  readonly seed: number;
}

const somePods: fc.Arbitrary<PlannedPods> = fc.record({
  kind: fc.constantFrom(...kinds),
  count: fc.integer({ min: 1, max: 3 }),
  grace: fc.constantFrom(1, 5, 30, 90, 300, 604_800),
  ending: fc.constantFrom<PlannedPods["ending"]>(0, 1, 7, 45, 200, "never"),
  health: fc.constantFrom("ready", "ready", "ready", "unready"),
  budget: fc.constantFrom<PlannedPods["budget"]>("none", "none", 0, 1, "50%"),
  budgets: fc.constantFrom(1, 1, 1, 2),
  finalizers: fc.constantFrom("none", "none", "none", "none", "none", "kept"),
  on: fc.constantFrom<PlannedPods["on"]>(1, 1, 2),
});

const aDeed: fc.Arbitrary<PlannedDeed> = fc.record({
  after: fc.integer({ min: 0, max: 300 }),
  to: fc.constantFrom<PlannedDeed["to"]>(1, 1, 2),
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

const timeout = fc.constantFrom(120, 120, 300, 400);
const force = fc.constantFrom<Plan["force"]>("at-deadline", "at-deadline", "never");

const aPeer: fc.Arbitrary<PlannedPeer> = fc.record({
  after: fc.constantFrom(0, 0, 20, 45, 90),
  late: fc.constantFrom(0, 0, 30),
  group: fc.oneof(fc.constant("same" as const), fc.record({ timeout, force })),
});

/** Any world, with any faults in it. */
export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  pods: fc.array(somePods, { maxLength: 6 }),
  timeout,
  force,
  concurrency: fc.constantFrom(1, 3, 20),
  taint: fc.constantFrom("", "example.com/draining=true:NoSchedule"),
  heartbeat: fc.constantFrom(60, 120, 1800),
  budgets: fc.constantFrom("observed", "observed", "observed", "unobserved"),
  peer: fc.oneof(fc.constant("none" as const), aPeer),
  deeds: fc.array(aDeed, { maxLength: 3 }),
  troubles: fc.oneof(fc.constant([]), fc.array(aTrouble, { maxLength: 4 })),
  seed: fc.nat(),
});
