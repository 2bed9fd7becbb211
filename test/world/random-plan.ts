import fc from "fast-check";
import { throttled } from "../../sandbox/cluster/api/planned-faults.ts";
import type { Fate, Moment } from "./fate.ts";
import { refusal } from "./refusal.ts";

/** The kinds of workload that a random world is made of. */
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
] as const;

/** Some pods of a kind on the node that goes. */
export interface PlannedPods {
  readonly kind: (typeof kinds)[number];
  readonly count: number;
  readonly grace: number;
  /** How many seconds its containers take to end; those that never do are ended by force. */
  readonly ending: number | "never";
  readonly health: "ready" | "unready";
  /** The rule of its budget, or none. */
  readonly budget: number | string | "none";
}

/** Something that others do, so many seconds after the start. */
export interface PlannedDeed {
  readonly after: number;
  readonly what:
    | "delete a pod"
    | "mend budgets"
    | "remove the node"
    | "run a pod"
    | "silence the kubelet"
    | "taint"
    | "uncordon";
}

/** A request that goes wrong, by its number. */
export interface PlannedTrouble {
  readonly number: number;
  readonly fate: Fate;
}

/** A world, and what goes wrong in it. */
export interface Plan {
  readonly pods: readonly PlannedPods[];
  readonly timeout: number;
  readonly force: "at-deadline" | "never";
  readonly concurrency: number;
  readonly taint: string;
  readonly deeds: readonly PlannedDeed[];
  readonly troubles: readonly PlannedTrouble[];
}

const somePods: fc.Arbitrary<PlannedPods> = fc.record({
  kind: fc.constantFrom(...kinds),
  count: fc.integer({ min: 1, max: 3 }),
  grace: fc.constantFrom(1, 5, 30, 90),
  ending: fc.constantFrom<PlannedPods["ending"]>(0, 1, 7, 45, "never"),
  health: fc.constantFrom("ready", "ready", "ready", "unready"),
  budget: fc.constantFrom<PlannedPods["budget"]>("none", "none", 0, 1, "50%"),
});

const aDeed: fc.Arbitrary<PlannedDeed> = fc.record({
  after: fc.integer({ min: 0, max: 300 }),
  what: fc.constantFrom(
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

const moment = fc.constantFrom<Moment>("before", "after");

const aFate: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({ kind: fc.constant("death" as const), moment }),
  fc.record({
    kind: fc.constant("cluster-fault" as const),
    fault: fc.constantFrom(
      "reset" as const,
      "hang" as const,
      refusal(500, "InternalError"),
      refusal(504, "Timeout"),
      throttled(2),
    ),
    moment,
  }),
  fc.record({
    kind: fc.constant("aws-fault" as const),
    fault: fc.constantFrom("reset" as const, "hang" as const),
    moment,
  }),
  fc.constant<Fate>({ kind: "aws-fault", fault: "throttle", moment: "before" }),
);

const aTrouble: fc.Arbitrary<PlannedTrouble> = fc.record({
  number: fc.integer({ min: 1, max: 120 }),
  fate: aFate,
});

/** Any world, and anything that may go wrong in it. */
export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  pods: fc.array(somePods, { maxLength: 6 }),
  timeout: fc.constantFrom(120, 300, 600),
  force: fc.constantFrom("at-deadline", "at-deadline", "never"),
  concurrency: fc.constantFrom(1, 3, 20),
  taint: fc.constantFrom("", "example.com/draining=true:NoSchedule"),
  deeds: fc.array(aDeed, { maxLength: 3 }),
  troubles: fc.array(aTrouble, { maxLength: 4 }),
});
