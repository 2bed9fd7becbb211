import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { later, minutes, never, seconds, timestamp } from "../../lambda/base/time.ts";
import {
  type Cause,
  causeAgain,
  causeOfMark,
  deadlineAnnotation,
  isNew,
  nearestCause,
  reasonAnnotation,
  staysNearer,
  tryCause,
} from "../../lambda/drain/cause.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { aCause, aNode, noon } from "../support/builders.ts";

const names = drainReasons.map(({ reason }) => reason);
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

  it("one without a deadline gives way to every deadline, and to one that is there already", () => {
    const open = aCause({ deadline: never });
    const atRisk = aCause({ reason: "at-risk", deadline: never });
    expect(nearestCause(open, telling(hook), noon, drainReasons)).toEqual(hook);
    expect(nearestCause(hook, telling(open), noon, drainReasons)).toEqual(hook);
    expect(nearestCause(open, telling(atRisk), noon, drainReasons)).toEqual(atRisk);
  });

  const repair = aCause({ reason: "ill", deadline: later(hook.deadline, minutes(15)) });

  it("a repair counts where a hook holds its instance, though its deadline is later", () => {
    expect(nearestCause(hook, telling(repair), noon, drainReasons)).toEqual(repair);
    expect(nearestCause(hook, telling(repair), repair.deadline, drainReasons)).toEqual(hook);
    const evacuated = aCause({ reason: "evacuated", deadline: repair.deadline });
    expect(nearestCause(hook, telling(evacuated), noon, drainReasons)).toEqual(hook);
  });

  it("an upgrade's ends no other drain, for the upgrade gives the node up by then", () => {
    const upgrade = aCause({ reason: "upgraded", deadline: later(noon, minutes(1)) });
    for (const own of [hook, repair, spot, aCause({ reason: "requested", deadline: never })])
      expect(nearestCause(own, telling(upgrade), noon, drainReasons)).toEqual(own);
    const second = { ...upgrade, deadline: later(noon, minutes(2)) };
    expect(nearestCause(second, telling(upgrade), noon, drainReasons)).toEqual(upgrade);
  });

  it("that of another drain counts for an upgrade where it is nearer", () => {
    const upgrade = aCause({ reason: "upgraded" });
    expect(nearestCause(upgrade, telling(spot), noon, drainReasons)).toEqual(spot);
    expect(nearestCause(upgrade, telling(repair), noon, drainReasons)).toEqual(upgrade);
  });

  it("the own counts on a node that tells none", () => {
    expect(nearestCause(hook, aNode(), noon, drainReasons)).toEqual(hook);
  });

  it("the one with the nearest deadline is left, in whatever order many notices come", () => {
    const causes = fc.array(
      fc.record({
        reason: fc.constantFrom("terminating", "interrupted", "maintenance", "stopping"),
        deadline: fc.integer({ min: 1, max: 1000 }).map((after) => later(noon, seconds(after))),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(causes, (inOrder: readonly Cause[]) => {
        const nodeAfter = (node: ReturnType<typeof aNode>, cause: Cause) =>
          telling(nearestCause(cause, node, noon, drainReasons));
        const left = tryCause(inOrder.reduce(nodeAfter, aNode()), drainReasons);
        expect(left?.deadline).toBe(Math.min(...inOrder.map(({ deadline }) => deadline)));
        expect(inOrder).toContainEqual(left);
      }),
    );
  });
});

describe("what a mark tells", () => {
  const upgrade = aCause({ reason: "upgraded", deadline: later(noon, seconds(1)) });

  it("is what counts for a drain", () => {
    expect(causeOfMark(spot, aNode(), drainReasons)).toEqual(spot);
    expect(causeOfMark(spot, telling(aCause()), drainReasons)).toEqual(spot);
    expect(causeOfMark(spot, telling(upgrade), drainReasons)).toEqual(spot);
    expect(causeOfMark(upgrade, aNode(), drainReasons)).toEqual(upgrade);
    expect(causeOfMark(upgrade, telling({ ...upgrade, deadline: never }), drainReasons)).toEqual(
      upgrade,
    );
  });

  it.each(names.filter((reason) => reason !== "upgraded"))(
    "stays %s where an upgrade comes, even after that deadline",
    (reason) => {
      for (const deadline of [later(noon, minutes(-1)), later(noon, minutes(1)), never])
        expect(causeOfMark(upgrade, telling({ reason, deadline }), drainReasons)).toEqual({
          reason,
          deadline,
        });
    },
  );
});

describe("the mark of another notice", () => {
  const hook = aCause();
  const upgrade = aCause({ reason: "upgraded", deadline: later(noon, seconds(1)) });

  it("stays where its deadline is nearer, except for that of work which opens its nodes itself", () => {
    const stays = (cause: Cause, node: ReturnType<typeof aNode>) =>
      staysNearer(cause, node, drainReasons);
    expect(stays(hook, telling(spot))).toBe(true);
    expect(stays(spot, telling(hook))).toBe(false);
    expect(stays(hook, telling(hook))).toBe(false);
    expect(stays(hook, telling(upgrade))).toBe(false);
    expect(stays(hook, aNode())).toBe(false);
  });

  it("is written again as it was, but one that prolongs drains only where it still is", () => {
    const repair = aCause({ reason: "ill", deadline: later(hook.deadline, minutes(15)) });
    expect(causeAgain(spot, hook, aNode(), drainReasons)).toEqual(spot);
    expect(causeAgain(repair, hook, telling(repair), drainReasons)).toEqual(repair);
    expect(causeAgain(repair, hook, telling(spot), drainReasons)).toEqual(hook);
    expect(causeAgain(repair, repair, aNode(), drainReasons)).toEqual(repair);
  });
});
