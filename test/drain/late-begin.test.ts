import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, later, minutes, never, seconds, timestamp } from "../../lambda/base/time.ts";
import { boundsFrom, hookLengths } from "../../lambda/drain/drain-bounds.ts";
import { lateBounds, triesUntil, tryLateSince } from "../../lambda/drain/late-begin.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import { interruptedLengths } from "../../lambda/interruption/event-bounds.ts";
import { usualWarning } from "../../lambda/interruption/event-notice.ts";
import { aPod, aSnapshot, noon, someSettings } from "../support/builders.ts";

const settings = someSettings({ timeout: minutes(15), volumeTimeout: minutes(3) });
const bounds = boundsFrom(noon, hookLengths(settings, minutes(30)));
const at = (minute: number) => later(noon, minutes(minute));
const node = (annotations: Readonly<Record<string, string>> = {}) => ({
  annotations: Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`eks-node-lifecycle/${key}`, value]),
  ),
});
const begun = {
  "marked-at": timestamp(at(0.1)),
  reason: "terminating",
  deadline: timestamp(at(15)),
};

describe("a drain is late", () => {
  const late = { ...begun, "late-since": timestamp(at(20)) };
  const ofLaterNotice = { ...begun, deadline: timestamp(at(22)) };

  it.each<[string, { found: object; minute: number; since: number | "in time" }]>([
    ["begins sooner", { found: {}, minute: 7.4, since: "in time" }],
    ["begins then", { found: {}, minute: 7.5, since: 7.5 }],
    ["has only the mark of a peer", { found: { ...begun, deadline: "" }, minute: 8, since: 8 }],
    [
      "was emptied before it",
      { found: { ...begun, "emptied-at": timestamp(at(5)) }, minute: 20, since: "in time" },
    ],
    [
      "has an old mark",
      { found: { ...begun, "marked-at": timestamp(at(-90)) }, minute: 8, since: 8 },
    ],
    ["has begun, a crash after its deadline", { found: begun, minute: 17.9, since: "in time" }],
    ["has begun, and nobody worked since", { found: begun, minute: 18, since: 18 }],
    ["was late before", { found: late, minute: 34, since: 20 }],
    ["was late long before", { found: late, minute: 90, since: 20 }],
    [
      "bears an earlier drain's lateness",
      { found: { "late-since": timestamp(at(-5)) }, minute: 7, since: "in time" },
    ],
    [
      "bears one from a clock ahead",
      { found: { ...late, "late-since": timestamp(at(40)) }, minute: 20, since: 20 },
    ],
    [
      "was marked without a deadline, but not by a peer",
      { found: { ...begun, reason: "requested", deadline: "" }, minute: 8, since: "in time" },
    ],
    [
      "was marked in time by a notice with a later time than this one",
      { found: { ...ofLaterNotice, "marked-at": timestamp(at(7.5)) }, minute: 9, since: 7.5 },
    ],
    [
      "was opened by others, and marked again with the same deadline",
      { found: { ...begun, "marked-at": timestamp(at(8)) }, minute: 9, since: "in time" },
    ],
    [
      "was marked so by a clock ahead",
      { found: { ...ofLaterNotice, "marked-at": timestamp(at(10)) }, minute: 9, since: 9 },
    ],
    [
      "was marked just before",
      { found: { ...ofLaterNotice, "marked-at": timestamp(at(7.4)) }, minute: 9, since: "in time" },
    ],
    [
      "was marked late by a notice of another kind",
      {
        found: { ...ofLaterNotice, reason: "stopping", "marked-at": timestamp(at(8)) },
        minute: 9,
        since: "in time",
      },
    ],
    ["has a hook that no longer holds", { found: {}, minute: 48 * 60, since: "in time" }],
  ])("if half of its time is over when it begins: one that %s", (_, { found, minute, since }) => {
    const told = tryLateSince(node({ ...found }), bounds, at(minute));
    expect(told).toBe(since === "in time" ? undefined : at(since));
  });

  it.each([
    { timeout: 60, from: 30 },
    { timeout: 150, from: 90 },
    { timeout: 200, from: 140 },
    { timeout: 240, from: 180 },
    { timeout: 360, from: 180 },
  ])(
    "that has $timeout s from $from s on: less than a minute is left, or more is over than a crash costs",
    ({ timeout, from }) => {
      const times = { ...settings, timeout: seconds(timeout) };
      const short = boundsFrom(noon, hookLengths(times, minutes(30)));
      expect(tryLateSince(node(), short, later(noon, seconds(from - 1)))).toBeUndefined();
      expect(tryLateSince(node(), short, later(noon, seconds(from)))).toBe(
        later(noon, seconds(from)),
      );
    },
  );

  it("has its own time from then on, and half of what its hook still holds in any case", () => {
    expect(lateBounds(bounds, at(20))).toEqual({
      ...bounds,
      begun: at(20),
      cameAt: at(20),
      deadline: at(35),
    });
    const last = later(bounds.heldUntil, minutes(-4));
    expect(between(last, lateBounds(bounds, last).deadline)).toBe(minutes(2));
  });

  it("ends before its hook, and no sooner than it would have ended in time", () => {
    fc.assert(
      fc.property(
        fc.record({
          timeout: fc.integer({ min: 30, max: 7200 }),
          volumes: fc.integer({ min: 0, max: 600 }),
          heartbeat: fc.integer({ min: 30, max: 7200 }),
          late: fc.integer({ min: 0, max: 48 * 3600 }),
        }),
        ({ timeout, volumes, heartbeat, late }) => {
          const times = { timeout: seconds(timeout), volumeTimeout: seconds(volumes) };
          const usual = boundsFrom(noon, hookLengths(times, seconds(heartbeat)));
          const since = tryLateSince(node(), usual, later(noon, seconds(late)));
          if (since === undefined) return;
          const anew = lateBounds(usual, since);
          expect(anew.deadline).toBeGreaterThanOrEqual(usual.deadline);
          expect(anew.deadline).toBeGreaterThan(since);
          expect(anew.deadline).toBeLessThanOrEqual(anew.heldUntil);
          expect(anew.heldUntil).toBe(usual.heldUntil);
        },
      ),
    );
  });
});

describe("a pass", () => {
  const spot = boundsFrom(noon, interruptedLengths({ warning: usualWarning }, seconds(0)));

  it.each([
    ["before the deadline", { now: 14, volumes: 18 }, 15],
    ["after the deadline", { now: 16, volumes: 18 }, 18],
    ["after the deadline, and its node was empty long before", { now: 16, volumes: 5 }, 15],
  ])("that waits for volumes tries as long as it may wait: %s", (_, { now, volumes }, tries) => {
    for (const began of [14, 15.5]) {
      const pass = { now: at(now), began: at(began), passEnds: at(20), volumesUntil: at(volumes) };
      expect(triesUntil(bounds, pass)).toBe(at(tries));
    }
  });

  it("that began before the deadline tries no longer than until then", () => {
    const pass = { now: at(16), began: at(14), passEnds: at(20), volumesUntil: never };
    expect(triesUntil(bounds, pass)).toBe(bounds.deadline);
  });

  it("requests each pod that no budget holds whenever it begins, and comes to its end", () => {
    fc.assert(
      fc.property(
        fc.record({
          drain: fc.constantFrom(spot, bounds),
          late: fc.integer({ min: 0, max: 60 * 60_000 }),
          grace: fc.integer({ min: 1, max: 3600 }),
          force: fc.constantFrom("at-deadline" as const, "never" as const),
          rest: fc.integer({ min: 5, max: 120 }),
        }),
        ({ drain, late, grace, force, rest }) => {
          const now = later(noon, seconds(late / 1000));
          const tries = triesUntil(drain, {
            now,
            began: now,
            passEnds: later(now, seconds(rest)),
            volumesUntil: never,
          });
          const pods = [aPod({ grace: seconds(grace) })];
          const times = { deadline: drain.deadline, begun: drain.begun, triesUntil: tries };
          const scene = aSnapshot({ ...times, pods, settings: someSettings({ force }) });
          expect(nextStep({ ...scene, now })).toMatchObject({
            kind: "ask",
            requests: [{ verb: "evict", pod: pods[0] }],
          });
          const end = later(tries, seconds(2));
          if (end > drain.deadline) expect(nextStep({ ...scene, now: end }).kind).toBe("finish");
          const most = Math.min(60_000, Math.max(drain.leastTry, between(now, drain.heldUntil)));
          expect(between(now, tries)).toBe(
            now < drain.deadline ? between(now, drain.deadline) : Math.min(rest * 1000, most),
          );
        },
      ),
    );
  });
});
