import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  never,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { boundsFrom, hookLengths } from "../../lambda/drain/drain-bounds.ts";
import { longestHold } from "../../lambda/drain/drain-deadline.ts";
import { isPastThreshold } from "../../lambda/drain/overdue.ts";
import { type Handback, waitBeforeMarking, waitBeforePass } from "../../lambda/notice/next-pass.ts";
import { ago, ahead, aPod, noon, someSettings } from "../support/builders.ts";

const pass = seconds(50);
const wait = (change: Partial<Handback>) =>
  waitBeforePass({
    now: noon,
    begun: ago(minutes(10)),
    deadline: ahead(hours(24)),
    longestRest: minutes(10),
    progressed: false,
    receives: 5,
    nextForce: never,
    ...change,
  });

describe("the rest before the next pass", () => {
  it("is the full three minutes after 250 receives, even if pods leave", () => {
    expect(wait({ receives: 250, progressed: true })).toBe(seconds(5));
    expect(wait({ receives: 251, progressed: true })).toBe(minutes(3));
    expect(wait({ receives: 251, begun: ago(seconds(10)) })).toBe(minutes(3));
  });

  it("is a tenth of the drain's age, from five seconds up to three minutes", () => {
    expect(wait({ begun: noon })).toBe(seconds(5));
    expect(wait({ begun: ago(minutes(10)) })).toBe(minutes(1));
    expect(wait({ begun: ago(hours(1)) })).toBe(minutes(3));
  });

  it("is never longer than the drain's longest rest", () => {
    expect(wait({ longestRest: seconds(10), begun: ago(hours(1)) })).toBe(seconds(10));
    expect(wait({ longestRest: minutes(3), begun: ago(hours(1)) })).toBe(minutes(3));
  });

  it("ends two seconds before a pod's grace no longer fits before the deadline", () => {
    expect(wait({ nextForce: ahead(seconds(50)) })).toBe(seconds(48));
    expect(wait({ nextForce: ahead(seconds(62)) })).toBe(minutes(1));
    expect(wait({ nextForce: ahead(seconds(1)) })).toBe(0);
    expect(wait({ receives: 251, nextForce: ahead(seconds(50)) })).toBe(seconds(48));
  });

  it("is zero at the deadline and after it", () => {
    expect(wait({ deadline: noon })).toBe(0);
    expect(wait({ deadline: ago(minutes(1)), progressed: true })).toBe(0);
  });
});

describe("the rest before a node is marked again", () => {
  const rest = (change: Partial<Handback>) =>
    waitBeforeMarking({
      now: noon,
      deadline: ahead(hours(24)),
      receives: 5,
      longestRest: minutes(10),
      ...change,
    });

  it("is zero until the notice has been received 250 times", () => {
    expect(rest({ receives: 250 })).toBe(0);
    expect(rest({ receives: 251 })).toBe(minutes(4));
  });

  it("is never longer than the drain's longest rest, and leaves the deadline nine tenths of what is left", () => {
    expect(rest({ receives: 251, longestRest: seconds(10) })).toBe(seconds(10));
    expect(rest({ receives: 251, deadline: ahead(seconds(70)) })).toBe(seconds(7));
    expect(rest({ receives: 251, deadline: ago(seconds(1)) })).toBe(0);
  });
});

interface Drain {
  readonly timeout: Duration;
  readonly heartbeatTimeout: Duration;
  /** Whether pods leave during a pass, by the number of the pass. */
  readonly progressed: (receives: number) => boolean;
}

/** The times at which the passes of a drain start, until one has seen the deadline; waits are in whole seconds. */
function passesOf({ timeout, heartbeatTimeout, progressed }: Drain): readonly Instant[] {
  const bounds = boundsFrom(noon, hookLengths(someSettings({ timeout }), heartbeatTimeout));
  const starts: Instant[] = [];
  for (let now = noon; ; ) {
    starts.push(now);
    now = later(now, pass);
    if (now >= bounds.deadline) return starts;
    const receives = starts.length;
    const handback = { now, progressed: progressed(receives), receives, nextForce: never };
    const rest = waitBeforePass({ ...bounds, ...handback });
    now = later(now, seconds(wholeSeconds(rest)));
  }
}

describe("a drain in passes", () => {
  const stuck = () => false;
  const always = () => true;

  it("is received fewer than 1,000 times, whatever the hook's timeout", () => {
    const anyDrain = fc.record({
      timeout: fc.integer({ min: 30, max: 172_800 }).map(seconds),
      heartbeatTimeout: fc.integer({ min: 30, max: 7200 }).map(seconds),
      progressed: fc.constantFrom(stuck, always),
    });
    fc.assert(
      fc.property(anyDrain, (drain) => {
        expect(passesOf(drain).length).toBeLessThan(1000);
      }),
      { numRuns: 50 },
    );
  });

  it("never leaves its hook without a heartbeat for longer than the hook waits", () => {
    const heartbeatTimeout = seconds(30);
    const starts = passesOf({ timeout: hours(2), heartbeatTimeout, progressed: stuck });
    const [first, ...others] = starts;
    others.reduce((last, start) => {
      expect(between(last, start) - pass).toBeLessThan(heartbeatTimeout / 2);
      return start;
    }, first ?? noon);
    expect(longestHold(heartbeatTimeout)).toBeGreaterThan(between(noon, starts.at(-1) ?? noon));
  });

  it("is at work when the grace of a pod that it has not seen yet no longer fits, so that the pod gets most of its grace", () => {
    const anyDrain = fc.record({
      timeout: fc.integer({ min: 300, max: 20_000 }).map(seconds),
      grace: fc.integer({ min: 20, max: 3600 }).map(seconds),
    });
    fc.assert(
      fc.property(anyDrain, ({ timeout, grace }) => {
        const heartbeatTimeout = minutes(30);
        const lengths = hookLengths(someSettings({ timeout }), heartbeatTimeout);
        const { deadline } = boundsFrom(noon, lengths);
        const pod = aPod({ grace });
        const starts = passesOf({ timeout, heartbeatTimeout, progressed: stuck });
        const threshold = later(deadline, milliseconds(1 - grace));
        const atWork = starts.find((start) => later(start, pass) > threshold) ?? deadline;
        const seen = latest(atWork, threshold);
        expect(isPastThreshold(pod, seen, deadline)).toBe(true);
        expect(between(seen, deadline)).toBeGreaterThan(Math.min(grace, timeout) * 0.85);
      }),
    );
  });
});
