import { describe, expect, it } from "vitest";
import {
  type Cause,
  causeAnnotations,
  deadlineAnnotation,
  isNew,
  nearestCause,
  reasonAnnotation,
  tryCause,
} from "../../../lambda/domain/node/cause.ts";
import { later, minutes, never, seconds, timestamp } from "../../../lambda/domain/time.ts";
import { aCause, aNode, noon } from "../../builders.ts";

const spot: Cause = { reason: "interrupted", deadline: later(noon, seconds(105)) };

/** A node whose mark tells a cause. */
const telling = ({ reason, deadline }: Cause) =>
  aNode({
    annotations: {
      [reasonAnnotation]: reason,
      ...(deadline === never ? {} : { [deadlineAnnotation]: timestamp(deadline) }),
    },
  });

describe("the cause of a mark", () => {
  it("says why and until when in two annotations, and reads them back", () => {
    expect(causeAnnotations(spot)).toEqual({
      "eks-node-lifecycle/reason": "interrupted",
      "eks-node-lifecycle/deadline": "2026-11-20T12:01:45.000Z",
    });
    expect(tryCause(telling(spot))).toEqual(spot);
  });

  it("removes an earlier deadline where nobody knows one", () => {
    const cause = aCause({ reason: "at-risk", deadline: never });
    expect(causeAnnotations(cause)).toEqual({
      [reasonAnnotation]: "at-risk",
      [deadlineAnnotation]: null,
    });
    expect(tryCause(telling(cause))).toEqual(cause);
  });

  it.each<[string, Readonly<Record<string, string>>, Cause | undefined]>([
    ["no annotations", {}, undefined],
    ["a reason that nobody writes", { [reasonAnnotation]: "whim" }, undefined],
    [
      "an unreadable deadline",
      { [reasonAnnotation]: "stopping", [deadlineAnnotation]: "soon" },
      { reason: "stopping", deadline: never },
    ],
  ])("is read with care from %s", (_, annotations, expected) => {
    expect(tryCause(aNode({ annotations }))).toEqual(expected);
  });

  it.each<[string, Cause, boolean]>([
    ["the same", spot, false],
    ["another deadline", { ...spot, deadline: later(spot.deadline, seconds(-1)) }, true],
    ["another reason", { ...spot, reason: "stopping" }, true],
  ])("is new to a node that tells %s only where it differs", (_, cause, expected) => {
    expect(isNew(cause, telling(spot))).toBe(expected);
    expect(isNew(cause, aNode())).toBe(true);
  });
});

describe("of two causes", () => {
  const hook = aCause();

  it("the one with the nearer deadline counts, whichever was there first", () => {
    expect(nearestCause(hook, telling(spot), noon)).toEqual(spot);
    expect(nearestCause(spot, telling(hook), noon)).toEqual(spot);
  });

  it("one without a deadline gives way to every deadline, and to one that is there already", () => {
    const open = aCause({ deadline: never });
    const atRisk = aCause({ reason: "at-risk", deadline: never });
    expect(nearestCause(open, telling(hook), noon)).toEqual(hook);
    expect(nearestCause(hook, telling(open), noon)).toEqual(hook);
    expect(nearestCause(open, telling(atRisk), noon)).toEqual(atRisk);
  });

  it("one whose deadline had passed when the drain began does not count", () => {
    const begun = later(noon, minutes(5));
    expect(nearestCause(hook, telling(spot), begun)).toEqual(hook);
    expect(nearestCause(hook, telling(spot), spot.deadline)).toEqual(hook);
  });

  it("the own counts on a node that tells none", () => {
    expect(nearestCause(hook, aNode(), noon)).toEqual(hook);
  });
});
