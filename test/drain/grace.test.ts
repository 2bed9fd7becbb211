import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Duration,
  hours,
  later,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { isPastThreshold, outlasts, remainingGrace } from "../../lambda/drain/overdue.ts";
import { ahead, aPod, endingBy, noon } from "../support/builders.ts";

const deadline = ahead(minutes(14));
const short = (by: Duration) => later(deadline, milliseconds(-by));

describe("the force threshold of a pod", () => {
  const pod = aPod({ grace: seconds(30) });

  it("is not passed while the pod's grace still just fits before the deadline", () => {
    expect(isPastThreshold(pod, short(seconds(30)), deadline)).toBe(false);
  });

  it("is passed a millisecond later", () => {
    expect(isPastThreshold(pod, short(milliseconds(29_999)), deadline)).toBe(true);
  });

  it("is passed from the start if the pod's grace is longer than the drain", () => {
    expect(isPastThreshold(aPod({ grace: hours(1) }), noon, deadline)).toBe(true);
  });

  it("is a second before the deadline for a pod without grace, because no pod is ever deleted with a grace of 0", () => {
    const bare = aPod({ grace: seconds(0) });
    expect(isPastThreshold(bare, short(seconds(1)), deadline)).toBe(false);
    expect(isPastThreshold(bare, short(milliseconds(999)), deadline)).toBe(true);
  });
});

describe("a terminating pod", () => {
  it("outlasts the deadline if its grace ends more than two seconds later, which an answer may take", () => {
    const ending = (by: Duration) => aPod({ termination: endingBy(later(deadline, by)) });
    expect(outlasts(ending(milliseconds(2001)), deadline)).toBe(true);
    expect(outlasts(ending(seconds(2)), deadline)).toBe(false);
  });
});

describe("what is left of a pod's grace", () => {
  it("is a number of whole seconds, at least one, never more than the pod's own and never past the deadline", () => {
    const anyGrace = fc.nat(7200).map(seconds);
    const anyRest = fc.integer({ min: -10_000, max: 7_200_000 }).map(milliseconds);
    fc.assert(
      fc.property(anyGrace, anyRest, (grace, rest) => {
        const remaining = remainingGrace(aPod({ grace }), short(rest), deadline);
        expect(remaining % 1000).toBe(0);
        expect(remaining).toBeGreaterThanOrEqual(seconds(1));
        expect(remaining).toBeLessThanOrEqual(Math.max(grace, seconds(1)));
        expect(remaining).toBeLessThanOrEqual(Math.max(rest, seconds(1)));
      }),
    );
  });
});
