import { describe, expect, it } from "vitest";
import {
  type Duration,
  hours,
  type Instant,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import {
  type BoundsAtStart,
  boundsAtStart,
  boundsByTrace,
  boundsFrom,
  causeOf,
  goesUnmarkedFrom,
  hookLengths,
  markedBounds,
  marksCountFrom,
  prolonged,
  retryWithin,
} from "../../lambda/drain/drain-bounds.ts";
import type { Reason } from "../../lambda/drain/reason.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { ago, ahead, aTerminatingNotice, noon, someSettings } from "../support/builders.ts";

const lengths = {
  toDeadline: minutes(15),
  toHeldUntil: minutes(20),
  longestRest: minutes(10),
  leastTry: seconds(2),
};
const startOf = (since: Instant, firstReceived = never): BoundsAtStart =>
  boundsAtStart({ notice: aTerminatingNotice({ since }), firstReceived }, lengths, noon);
const savedAndReceived = (at: Instant): BoundsAtStart => startOf(ago(hours(72)), at);
const saved = savedAndReceived(ago(minutes(2)));
const lasting = (toDeadline: Duration): BoundsAtStart => ({
  kind: "known",
  bounds: boundsFrom(noon, { ...lengths, toDeadline }),
});

describe("an instance that a hook holds", () => {
  it("is drained by its own timeout, held for its volumes, and heard of at every quarter of the heartbeat timeout", () => {
    const settings = someSettings({ timeout: hours(48), volumeTimeout: minutes(3) });
    expect(hookLengths(settings, minutes(30))).toEqual({
      toDeadline: hours(48) - minutes(3) - seconds(15),
      toHeldUntil: hours(48) - seconds(15),
      longestRest: minutes(7.5),
      leastTry: 0,
    });
  });
});

describe("the bounds of a drain", () => {
  it("count from its begin", () => {
    expect(boundsFrom(noon, lengths)).toEqual({
      begun: noon,
      cameAt: noon,
      deadline: ahead(minutes(15)),
      heldUntil: ahead(minutes(20)),
      longestRest: minutes(10),
      leastTry: seconds(2),
    });
  });

  it.each<[string, Instant]>([
    ["a minute later", noon],
    ["days before, for something else", ago(hours(72))],
  ])("are those of the notice's own time, though the node was marked %s", (_, marked) => {
    const since = ago(minutes(1));
    expect(boundsByTrace(startOf(since, since), marked, noon)).toEqual(boundsFrom(since, lengths));
  });

  it("say when the function could begin, where the notice came late", () => {
    const since = ago(minutes(5));
    const come = (firstReceived: Instant) => startOf(since, firstReceived).bounds;
    const whole = boundsFrom(since, lengths);
    expect(come(ago(minutes(2)))).toEqual({ ...whole, cameAt: ago(minutes(2)) });
    // The clock of SQS may be behind that of the sender.
    expect(come(ago(minutes(6)))).toEqual(whole);
    expect(come(never)).toEqual({ ...whole, cameAt: noon });
  });

  it("count from the first receive where the notice's own time cannot be true: it was saved, and sent again", () => {
    const bounds = boundsFrom(ago(minutes(2)), lengths);
    expect(saved).toEqual({ kind: "by-receive", bounds, lengths });
  });

  it("count from the mark where another message, or none, had begun the drain of a saved notice before", () => {
    const marked = ago(minutes(3));
    expect(boundsByTrace(saved, marked, noon)).toEqual(boundsFrom(marked, lengths));
  });

  it.each<[string, Instant]>([
    ["is later, because the node could not be marked at first", ago(minutes(1))],
    ["cannot be of this drain", ago(hours(48.001))],
  ])("do not count from a mark that %s", (_, marked) => {
    expect(boundsByTrace(saved, marked, noon)).toEqual(boundsFrom(ago(minutes(2)), lengths));
  });
});

describe("a pass that broke", () => {
  it.each([
    [hours(10), minutes(10)],
    [minutes(100), minutes(10)],
    [minutes(10), minutes(1)],
    [seconds(20), seconds(2)],
    [seconds(3), seconds(1)],
  ])("with %d ms left is repeated within %d ms", (left, within) => {
    expect(retryWithin(lasting(left), noon)).toBe(within);
  });
});

describe("the mark of a drain", () => {
  it.each(["at-risk", "requested"] as const)(
    "tells no deadline where nobody takes the instance: %s",
    (reason) => {
      const start = lasting(minutes(5));

      expect(causeOf(reason, start, drainReasons).deadline).toBe(never);
      expect(causeOf("stopping", start, drainReasons).deadline).toBe(ahead(minutes(5)));
    },
  );
});

describe("the deadline of a mark", () => {
  const bounds = boundsFrom(noon, lengths);
  const marked = (reason: Reason, within: Duration, volumeTimeout = minutes(2)) =>
    markedBounds(bounds, { reason, deadline: ahead(within) }, { volumeTimeout }, drainReasons);

  it("counts for a repair also where it is later, and for nothing else", () => {
    expect(marked("ill", minutes(17)).deadline).toBe(ahead(minutes(17)));
    expect(marked("maintenance", minutes(17))).toEqual(bounds);
  });

  it("leaves volumes their time before the hook ends, and never takes a drain's own", () => {
    expect(marked("ill", minutes(30)).deadline).toBe(ahead(minutes(18)));
    expect(marked("ill", minutes(30), minutes(10))).toEqual(bounds);
  });
});

describe("a pass that fails once its node is marked", () => {
  it("counts by the mark where that gives the drain more time", () => {
    const start = lasting(minutes(15));
    const repair = boundsFrom(noon, { ...lengths, toDeadline: minutes(18) });

    expect(prolonged(start, repair)).toEqual({ kind: "known", bounds: repair });
    expect(prolonged(start, boundsFrom(noon, { ...lengths, toDeadline: minutes(2) }))).toBe(start);
  });
});

describe("a mark", () => {
  it("counts from an hour before the begin on: peers mark each other's nodes before their notices come", () => {
    expect(marksCountFrom(startOf(ago(minutes(5))), noon)).toBe(ago(minutes(65)));
  });

  it("counts for as long as a hook can hold where the notice does not tell the begin", () => {
    expect(marksCountFrom(saved, noon)).toBe(ago(hours(48)));
  });
});

describe("a node that cannot be marked", () => {
  it("is drained without a mark from a minute on, or from a quarter of its time", () => {
    expect(goesUnmarkedFrom(lasting(minutes(15)))).toBe(ahead(minutes(1)));
    expect(goesUnmarkedFrom(lasting(minutes(4)))).toBe(ahead(minutes(1)));
    expect(goesUnmarkedFrom(lasting(minutes(2)))).toBe(ahead(seconds(30)));
  });

  it("is drained without a mark at once where only the receive tells the begin", () => {
    expect(goesUnmarkedFrom(saved)).toBe(ago(minutes(2)));
    expect(goesUnmarkedFrom(savedAndReceived(never))).toBe(noon);
  });
});
