import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Instant, later, minutes, timestamp } from "../../lambda/base/time.ts";
import type { MachineNode, NodeCondition } from "../../lambda/drain/node.ts";
import { illSinceAnnotation } from "../../lambda/repair/ill-since.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { defaultRules, ruleFor } from "../../lambda/repair/repair-policy.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { ago, ahead, noon } from "../support/builders.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { aPolicy, aSurvey, judged, markedIll, readyBut, since } from "./repair-builders.ts";

const accelerator = "AcceleratedHardwareReady";

/** The annotation of passes that have seen these reasons so many minutes ago. */
const seen = (...reasons: readonly (readonly [cause: string, length: number])[]) => ({
  annotations: {
    [illSinceAnnotation]: reasons
      .map(([cause, length]) => `${cause.replace("/", " ")} ${timestamp(ago(minutes(length)))}`)
      .join(", "),
  },
});

const withNode = (node: Partial<MachineNode>, state = "InService"): Survey =>
  aSurvey([{ says: [[4, node, { state }]] }]);

const said = (cause: string, length: number, trace: Partial<MachineNode>) =>
  withNode({ ...readyBut(since(cause, "False", length)), ...trace });

const tracesOf = (survey: Survey) => judgeRepairs(survey, aPolicy()).traces.map(({ text }) => text);

describe("a reason of the agent", () => {
  const late = `${accelerator}/NvidiaXID79Error`;

  test.each([
    [9, "waits"],
    [10, "replace"],
  ])(
    "that a pass first saw %i minutes ago, where another has stood for long: %s",
    (length, what) => {
      const trace = seen([`${accelerator}/DCGMError`, 599], [late, length]);
      expect(judged(said(late, 600, trace))).toEqual({ 4: what });
    },
  );

  test("that nobody has seen before counts from now, where another has stood for long", () => {
    expect(judged(said(late, 600, seen([`${accelerator}/DCGMError`, 599])))).toEqual({
      4: "waits",
    });
  });

  test.each([
    ["NvidiaXID79Error", 9, "waits"],
    ["NvidiaXID79Error", 10, "replace"],
    ["NvidiaXID13Error", 10, "reboot"],
  ])(
    "that asks for nothing calls off no repair that %s has earned in %i minutes: %s",
    (first, length, what) => {
      const trace = seen([`${accelerator}/${first}`, length], [`${accelerator}/DCGMError`, 1]);
      const survey = said(`${accelerator}/DCGMError`, length, trace);
      expect(judged(survey)).toEqual({ 4: what });
      const [one] = judgeRepairs(survey, aPolicy()).cases;
      expect(one?.illness).toMatchObject({ condition: accelerator, reason: first });
    },
  );

  test("comes first by its name among those that a pass first saw at the same time", () => {
    const [first, second] = ["NvidiaXID74Error", "NvidiaXID79Error"];
    const trace = seen([`${accelerator}/${second}`, 20], [`${accelerator}/${first}`, 20]);
    const [one] = judgeRepairs(said(`${accelerator}/${second}`, 600, trace), aPolicy()).cases;
    expect(one?.illness.reason).toBe(first);
  });

  test("asks for nothing itself when no other has asked", () => {
    expect(judged(said(`${accelerator}/DCGMError`, 600, seen()))).toEqual({});
  });

  test.each([
    [20, "replace"],
    [19, "waits"],
  ])(
    "counts from its condition if a pass saw it within two intervals: after 30 minutes, seen %i minutes ago, it %s",
    (length, what) => {
      const cause = "KernelReady/ForkFailedOutOfPIDs";
      expect(judged(said(cause, 30, seen([cause, length])))).toEqual({ 4: what });
    },
  );

  test("counts from now where no pass has seen its condition, however old that is", () => {
    expect(judged(said("KernelReady/ForkFailedOutOfPIDs", 600, seen()))).toEqual({ 4: "waits" });
  });

  test("of an earlier illness counts no more once the condition has begun again", () => {
    const cause = "KernelReady/ForkFailedOutOfPIDs";
    const survey = said(cause, 10, seen([cause, 40], ["KernelReady/Other", 30]));
    expect(judged(survey)).toEqual({ 4: "waits" });
    expect(tracesOf(survey)).toEqual([seen([cause, 0]).annotations[illSinceAnnotation]]);
  });

  test("is held by no time in the future that somebody has written", () => {
    const cause = "KernelReady/ForkFailedOutOfPIDs";
    const text = `${cause.replace("/", " ")} ${timestamp(ahead(minutes(2)))}`;
    const survey = said(cause, 600, { annotations: { [illSinceAnnotation]: text } });
    expect(tracesOf(survey)).toEqual([seen([cause, 0]).annotations[illSinceAnnotation]]);
  });

  test("that a process with a clock a little ahead has seen counts from now", () => {
    const cause = "KernelReady/ForkFailedOutOfPIDs";
    const survey = said(cause, 600, seen([cause, -0.5]));
    expect(tracesOf(survey)).toEqual([]);
    const [one] = judgeRepairs(survey, aPolicy()).cases;
    expect(one?.illness.since).toBe(survey.now);
  });

  test.each([
    "",
    "?",
    "KernelReady",
    "KernelReady X yesterday",
    "KernelReady X 2026-11-20T10:00:00Z more",
    ",".repeat(9000),
  ])("counts as unseen where the annotation cannot be read: %j", (text) => {
    const annotations = { [illSinceAnnotation]: text };
    const survey = said("KernelReady/X", 600, { annotations });
    expect(judged(survey)).toEqual({ 4: "waits" });
    expect(tracesOf(survey)).toEqual([seen(["KernelReady/X", 0]).annotations[illSinceAnnotation]]);
  });
});

describe("what passes have seen", () => {
  const cause = "KernelReady/ForkFailedOutOfPIDs";

  test("is written once, in a dry run too, and removed when the node is well", () => {
    const first = said(cause, 1, seen());
    expect(tracesOf(first)).toEqual([seen([cause, 0]).annotations[illSinceAnnotation]]);
    expect(judgeRepairs(first, aPolicy({ mode: "dry-run" })).traces).toHaveLength(1);
    expect(tracesOf(said(cause, 1, seen([cause, 0])))).toEqual([]);
    expect(tracesOf(withNode(seen([cause, 0])))).toEqual([""]);
    expect(tracesOf(withNode({}))).toEqual([]);
  });

  test("stays with each reason while others come, and with other conditions", () => {
    const node = {
      ...readyBut(since(cause, "False", 20), since("StorageReady/X", "False", 2)),
      ...seen(["KernelReady/Before", 19], ["NetworkingReady/Y", 10]),
    };
    expect(tracesOf(withNode(node))).toEqual([
      seen(["KernelReady/Before", 19], [cause, 0], ["StorageReady/X", 0]).annotations[
        illSinceAnnotation
      ],
    ]);
  });

  test("is left to the repair that begins now", () => {
    const survey = said(cause, 40, seen(["KernelReady/Before", 39]));
    expect(judged(survey)).toEqual({ 4: "replace" });
    expect(tracesOf(survey)).toEqual([]);
  });

  test("is removed once the mark of a repair is, because that writes the node too", () => {
    const { annotations } = markedIll(ago(minutes(20)));
    const node = {
      ...markedIll(),
      annotations: { ...annotations, ...seen([cause, 30]).annotations },
    };
    const { undo, traces } = judgeRepairs(withNode(node), aPolicy());
    expect([undo.length, traces]).toEqual([1, []]);
  });

  test.each(["Ready", "DiskPressure", "KernelDeadlock", "MaintenanceInProgress"])(
    "has nothing of %s, which is dated by what it says now",
    (type) => {
      const status = type === "Ready" ? "False" : "True";
      expect(
        tracesOf(withNode({ conditions: [since(`${type}/X`, status, 5)], ...seen() })),
      ).toEqual([]);
    },
  );

  test.each(["Pending:Wait", "Terminating:Wait", "Standby", "Warmed:Stopped"])(
    "is written to no node whose instance is %s",
    (state) => {
      const node = { ...readyBut(since(cause, "False", 5)), ...seen() };
      expect(tracesOf(withNode(node, state))).toEqual([]);
    },
  );

  test("is written to no node that is known by its name alone", () => {
    const node = { ...readyBut(since(cause, "False", 5)), ...seen(), providerId: "" };
    expect(tracesOf(withNode(node))).toEqual([]);
  });

  test("has the empty reason, and one with other characters, as one word", () => {
    const [empty, odd] = ["KernelReady", `KernelReady/a,b c\u200b${"x".repeat(2000)}`].map((one) =>
      tracesOf(said(one, 1, seen())).join(),
    );
    expect(empty).toMatch(/^KernelReady - \S+Z$/);
    expect(odd).toMatch(/^KernelReady a_b_c_x{94} \S+Z$/);
    expect(judged(said("KernelReady", 30, seen(["KernelReady/-", 29])))).toEqual({ 4: "replace" });
  });

  test("is sixteen reasons at most, first those that ask for a repair", () => {
    const many = Array.from(
      { length: 16 },
      (_, code) => [`${accelerator}/DCGMHealthCode${code}`, 50 - code] as const,
    );
    const text = tracesOf(said(`${accelerator}/NvidiaXID79Error`, 55, seen(...many))).join();
    expect(text.split(", ")).toHaveLength(16);
    expect(text).toContain("NvidiaXID79Error");
    expect(text).not.toContain("DCGMHealthCode15");
    expect(Buffer.byteLength(text)).toBeLessThan(8192);
  });
});

const reasons = ["DCGMError", "NvidiaXID79Error", "NvidiaXID13Error", "DCGMHealthCode7"] as const;
type Fault = readonly [minute: number, reason: (typeof reasons)[number]];
const every = 5;
const looks = Array.from({ length: 25 }, (_, index) => index * every);

/** The minutes that the rule of a reason waits; none if it asks for nothing. */
function waitsOf(reason: string): readonly number[] {
  const rule = ruleFor(defaultRules, { type: accelerator, reason });
  return rule === undefined || rule.action === "none" ? [] : [rule.wait / minutes(1)];
}

/** The condition that the agent writes in a minute: the newest reason beside the oldest time. */
function conditionAt(minute: number, faults: readonly Fault[]): NodeCondition | undefined {
  const [oldest, ...newer] = faults.filter(([begun]) => begun <= minute);
  if (oldest === undefined) return undefined;
  const [, reason] = newer.at(-1) ?? oldest;
  const at: Instant = later(noon, minutes(oldest[0]));
  return { ...since(`${accelerator}/${reason}`, "False", 0), since: at };
}

/** The first repair of a node over two hours of looks, each of which writes what it has seen. */
function firstRepair(faults: readonly Fault[]) {
  let text = "";
  for (const minute of looks) {
    const conditions = [conditionAt(minute, faults) ?? []].flat();
    const node = { ...readyBut(...conditions), annotations: { [illSinceAnnotation]: text } };
    const survey = { ...withNode(node), now: later(noon, minutes(minute)) };
    const { cases, traces } = judgeRepairs(survey, aPolicy());
    const [one] = cases;
    if (one?.verdict.kind === "repairs") return { minute, reason: one.illness.reason };
    text = traces[0]?.text ?? text;
  }
  return undefined;
}

/** When the looks first see each reason. */
const firstSeen = (faults: readonly Fault[]): ReadonlyMap<string, number> =>
  new Map(
    looks.toReversed().flatMap((minute) => {
      const found = conditionAt(minute, faults);
      return found === undefined ? [] : [[found.reason, minute] as const];
    }),
  );

test("an agent that takes nothing back and shows the newest reason has a node repaired neither too early nor never", () => {
  const anyFaults = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom(...reasons)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((faults) => faults.toSorted(([a], [b]) => a - b));
  const repairsInTime = fc.property(anyFaults, (faults) => {
    const seenAt = firstSeen(faults);
    const due = [...seenAt].flatMap(([reason, at]) => waitsOf(reason).map((wait) => at + wait));
    const repair = firstRepair(faults);
    const { minute = Number.POSITIVE_INFINITY, reason = "" } = repair ?? {};
    expect(repair === undefined).toBe(due.length === 0);
    if (repair === undefined) return;
    const [wait = 0] = waitsOf(reason);
    // The first reason counts from its condition, up to one look before.
    expect(minute).toBeGreaterThan((seenAt.get(reason) ?? 0) + wait - every);
    expect(minute).toBeLessThanOrEqual(Math.min(...due));
  });
  fc.assert(repairsInTime, { numRuns: propertyRuns(200) });
});
