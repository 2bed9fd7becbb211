import fc from "fast-check";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import type { Fault, Moment } from "./fault-plan.ts";
import { namespaceTerminating, refusal } from "./refusal.ts";

/**
 * Requests that fail: how many, from which number on, among all requests or only evictions and
 * deletions.
 */
export interface PlannedTrouble {
  readonly among: "all" | "letting go";
  readonly number: number;
  readonly times: number;
  readonly fault: Fault;
}

const moment = fc.constantFrom<Moment>("before", "after");

/** A fault that hits one request. */
const aBlow: fc.Arbitrary<Fault> = fc.oneof(
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
  fc.constant<Fault>({ kind: "aws-fault", fault: "throttle", moment: "before" }),
);

/** A fault that hits several requests in a row. */
const aRefusal: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant("cluster-fault" as const),
  fault: fc.constantFrom(
    refusal(401, "Unauthorized"),
    refusal(403, "you may not"),
    refusal(409, "the object has been modified"),
    refusal(422, "field is immutable"),
    refusal(500, "InternalError"),
    throttled(2),
    throttled(20),
    namespaceTerminating,
  ),
  moment: fc.constant("before" as const),
});

/** Any fault that a plan may contain. */
export const aTrouble: fc.Arbitrary<PlannedTrouble> = fc.oneof(
  fc.record({
    among: fc.constantFrom<PlannedTrouble["among"]>("all", "letting go"),
    number: fc.integer({ min: 1, max: 120 }),
    times: fc.constant(1),
    fault: aBlow,
  }),
  fc.record({
    among: fc.constantFrom<PlannedTrouble["among"]>("all", "letting go"),
    number: fc.integer({ min: 1, max: 20 }),
    times: fc.constantFrom(1, 3),
    fault: aRefusal,
  }),
  fc.record({
    among: fc.constant("letting go" as const),
    number: fc.integer({ min: 1, max: 3 }),
    times: fc.constant(1000),
    fault: aRefusal,
  }),
);
