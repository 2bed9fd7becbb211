import { describe, expect, it } from "vitest";
import type { Dated, Entry } from "../../journal/entry.ts";
import { figureTable } from "../../journal/report-tables.ts";
import { instanceId, nodeName, podUid } from "../../lambda/base/ids.ts";
import { instant, later, seconds } from "../../lambda/base/time.ts";
import { usualWarning } from "../../lambda/interruption/event-notice.ts";
import { ignoredWhys, isOfOthers } from "../../lambda/notice/outcome.ts";
import type { Notice } from "../../lambda/notices.ts";
import { figuresOf } from "../../lambda/report/figure-table.ts";
import {
  embeddedMetrics,
  mostNamespaces,
  onLines,
  withFewNamespaces,
} from "../../lambda/report/measured.ts";
import type { Figure } from "../../lambda/report/report-entry.ts";
import { emfDocument } from "./emf-schema.ts";

const start = instant(Date.parse("2026-11-20T10:00:00Z"));
const after = (count: number) => later(start, seconds(count));
const instance = instanceId("i-1");
const node = nodeName("n");
const notice: Notice = {
  kind: "interrupted",
  instance,
  action: "terminate",
  capacity: "spot",
  warning: usualWarning,
  since: start,
};
const beat: Entry = { kind: "heartbeat", hook: "h", instance };
const budget = { healthy: 3, desired: 3, allowed: 0 };

const done = (outcome: Extract<Entry, { kind: "notice-done" }>["outcome"]): Entry => ({
  kind: "notice-done",
  notice: "interrupted i-1",
  outcome,
});

const held = (kind: "pods-freed" | "pods-held", namespace: string, pods: readonly string[]) =>
  kind === "pods-held"
    ? ({ kind, node, pods, owners: [], budget: `${namespace}/web`, ...budget } as const)
    : ({ kind, node, by: "budget", pods, budget: `${namespace}/web`, ...budget } as const);

/** The figures of a pass of a minute, with each entry at its second; the work began a minute before. */
function figures(
  entries: readonly (readonly [at: number, entry: Entry])[],
  receives = 2,
): Readonly<Record<string, number>> {
  const dated = entries.map(([at, entry]): Dated => ({ ...entry, at: after(at) }));
  const pass = { notice, receives, entries: dated, begun: after(-60), to: after(60) };
  return Object.fromEntries(
    figuresOf(figureTable, pass).map(({ name, of, value }) => [
      of === "" ? name : `${name} ${of}`,
      value,
    ]),
  );
}

describe("the figures of a pass", () => {
  it("count its pods, and time the whole work", () => {
    const uid = podUid("u");
    const deleted = { kind: "pod-deleted", pod: "a/b", node, graceSeconds: 5, uid } as const;
    expect(
      figures([
        [
          1,
          {
            kind: "pods-seen",
            node,
            holding: [],
            critical: [],
            skipped: [],
            deadline: "2026-11-20T10:10:00Z",
          },
        ],
        [2, { kind: "pod-evicted", pod: "a/a", node, graceSeconds: 5 }],
        [3, { ...deleted, past: "" }],
        [3, { ...deleted, past: "budget a/b" }],
        [4, { kind: "grace-cut", pod: "a/c", node, graceSeconds: 1, ownSeconds: 2, uid }],
        [
          9,
          done({
            kind: "forced",
            attached: [],
            stuck: [{ about: "a/d", why: "stuck" }],
            forced: [],
          }),
        ],
      ]),
    ).toEqual({
      DrainSeconds: 120,
      TimeLeftSeconds: 540,
      PodsEvicted: 3,
      PodsForced: 2,
      PodsStuck: 1,
      "Outcomes forced": 1,
    });
  });

  it("have the time left until a deadline that has come nearer", () => {
    const seen = { kind: "pods-seen", node, holding: [], critical: [], skipped: [] } as const;
    const cause = { reason: "interrupted", markOf: "drain" } as const;
    const nearer = { kind: "mark-tightened", node, ...cause } as const;
    const told = figures([
      [1, { ...seen, deadline: "2026-11-20T10:10:00Z" }],
      [2, { ...nearer, deadline: "2026-11-20T10:00:50Z" }],
      [9, done({ kind: "expired", left: [] })],
    ]);
    expect(told).toMatchObject({ TimeLeftSeconds: -10 });
  });

  it("have the longest time without a heartbeat, the rest that follows included", () => {
    const left: Entry = { kind: "pass-ended", left: [], wait: seconds(100) };
    expect(
      figures([
        [0, beat],
        [25, beat],
      ]),
    ).toEqual({ HeartbeatAgeSeconds: 35 });
    expect(
      figures([
        [0, beat],
        [45, beat],
      ]),
    ).toEqual({ HeartbeatAgeSeconds: 45 });
    expect(
      figures([
        [0, beat],
        [50, left],
      ]),
    ).toEqual({ HeartbeatAgeSeconds: 150 });
  });

  it("have the time from the notice to the first heartbeat, but only of the notice's first pass", () => {
    expect(figures([[5, beat]], 1)).toMatchObject({ HeartbeatAgeSeconds: 65 });
    expect(figures([[5, beat]], 2)).toEqual({ HeartbeatAgeSeconds: 55 });
    expect(figures([], 1)).not.toHaveProperty("HeartbeatAgeSeconds");
  });

  it("have the time that budgets of a namespace hold any pod, up to the next pass", () => {
    const left: Entry = { kind: "pass-ended", left: [], wait: seconds(100) };
    expect(
      figures([
        [10, held("pods-held", "shop", ["a", "b"])],
        [20, held("pods-freed", "shop", ["a"])],
        [30, held("pods-freed", "shop", ["b"])],
        [40, held("pods-held", "shop", ["c"])],
        [45, held("pods-freed", "shop", ["c"])],
        [50, held("pods-held", "bank", ["d"])],
        [60, left],
      ]),
    ).toEqual({ "BudgetBlockedSeconds shop": 25, "BudgetBlockedSeconds bank": 110 });
  });

  it("count a notice once, at its first pass, and its faults by their codes", () => {
    const fault: Entry = { kind: "fault", code: "aws.denied", message: "", retryable: true };
    expect(
      figures(
        [
          [1, fault],
          [2, fault],
        ],
        1,
      ),
    ).toEqual({
      "Notices interrupted": 1,
      "Faults aws.denied": 2,
    });
  });

  it("count what is ignored by the reason, without any names", () => {
    const outcome = { kind: "ignored", why: "not held", reason: "instance i-1 runs" } as const;
    expect(figures([[1, done(outcome)]])).toEqual({
      "Outcomes ignored": 1,
      "IgnoredNotices not held": 1,
    });
  });

  it.each(["not managed", "no group", "unrelated"] as const)(
    "have nothing of a notice that is ignored as `%s`, but its faults",
    (why) => {
      const outcome = { kind: "ignored", why, reason: "instance i-1 is of others" } as const;
      const fault: Entry = { kind: "fault", code: "aws.denied", message: "", retryable: true };
      expect(figures([[1, done(outcome)]], 1)).toEqual({});
      expect(
        figures(
          [
            [1, fault],
            [2, done(outcome)],
          ],
          1,
        ),
      ).toEqual({ "Faults aws.denied": 1 });
    },
  );

  it("have as many series of ignored notices as there are reasons about the managed groups", () => {
    const series = (name: string) => figureTable.find((row) => row.name === name)?.series;
    const measured = ignoredWhys.filter((why) => !isOfOthers({ kind: "ignored", why, reason: "" }));
    expect(series("IgnoredNotices")).toBe(measured.length);
  });
});

const figure = (name: string, of = "", dimension = of === "" ? "" : "Namespace"): Figure => ({
  name,
  of,
  dimension,
  value: 1,
  unit: "Seconds",
});

const always = (): boolean => true;

describe("the lines of metrics", () => {
  it("have an end, so that none is cut and lost: what does not fit is on the next", () => {
    const all = ["A", "B", "C", "D", "E"].map((name) => figure(name));
    const lines = onLines(all, (some) => some.length <= 2);
    expect(lines.map((line) => line.length)).toEqual([2, 2, 1]);
    expect(lines.flat()).toEqual(all);
  });

  it("have one value for each dimension, and each metric once", () => {
    const all = [figure("A"), figure("B", "x"), figure("B", "y"), figure("C", "z", "Code")];
    expect(onLines(all, always)).toEqual([[all[0], all[1], all[3]], [all[2]]]);
    expect(onLines([], always)).toEqual([]);
  });

  it("have a series for the first twenty namespaces of a process, and one for all others", () => {
    const names = Array.from({ length: mostNamespaces + 3 }, (_, index) => `ns-${index}`);
    const all = names.map((name) => figure("B", name));
    const { figures: few, known } = withFewNamespaces(all, new Set());
    expect(few).toHaveLength(mostNamespaces + 1);
    expect(few.at(-1)).toMatchObject({ of: "others", value: 3 });
    expect(withFewNamespaces([figure("B", "late")], known).figures).toMatchObject([
      { of: "others" },
    ]);
    expect(withFewNamespaces([figure("B", "ns-0")], known).figures).toMatchObject([{ of: "ns-0" }]);
  });

  it("are valid in the embedded metric format, with all metrics that there are", () => {
    const all = figureTable.map(({ name, unit, dimension }, index) => ({
      name,
      unit,
      dimension,
      value: index,
      of: dimension === "" ? "" : "a value",
    }));
    const lines = onLines(all, always);
    expect(lines).toHaveLength(1);
    for (const line of lines) {
      const document = embeddedMetrics(line, start, "N/demo");
      expect(emfDocument(document)).toEqual([]);
      expect(document).toMatchObject({ DrainSeconds: 0, Namespace: "a value" });
    }
  });

  it("are not valid where a metric has no value, or its dimension none", () => {
    const [line = []] = onLines([figure("A"), figure("B", "x")], always);
    const document = embeddedMetrics(line, start, "N");
    const { Namespace: _, ...without } = Object(document);
    expect(emfDocument(without)).toEqual(["Namespace is no text"]);
    expect(emfDocument({ ...document, A: "1" })).toEqual(["A is no number"]);
  });

  it("name each metric and each dimension once, so that no line has two values for one name", () => {
    const names = figureTable.map(({ name }) => name);
    const dimensions = figureTable.map(({ dimension }) => dimension).filter((one) => one !== "");
    const taken = ["at", "kind", "figures", "instance", "group", "token", "messageId", "_aws"];
    const all = [...names, ...dimensions, ...taken];
    expect(new Set(all).size).toBe(all.length);
  });
});
