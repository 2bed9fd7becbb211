import { describe, expect, it } from "vitest";
import type { Outcome } from "../../journal/outcome.ts";
import {
  type OutcomeRow,
  outcomeTable,
  rowOf,
  wordsOfOutcome,
} from "../../journal/outcome-table.ts";
import { progressLines } from "../../journal/progress-line.ts";
import { instant } from "../../lambda/base/time.ts";
import { sampleOutcomes } from "./sample-outcomes.ts";

const outcomes: readonly Outcome[] = Object.values(sampleOutcomes);

describe("an outcome", () => {
  it("has a row in the table, whatever its kind", () => {
    expect(new Set(Object.keys(outcomeTable))).toEqual(new Set(outcomes.map(({ kind }) => kind)));
  });

  it.each<[Outcome["kind"], OutcomeRow["exit"], OutcomeRow["tone"], string]>([
    ["drained", "done", "good", "drained, with volumes still attached: pv-1"],
    ["forced", "done", "careful", "drained by force: demo/web: deleted past budget x"],
    ["expired", "notDone", "careful", "expired, with 1 pod still on the node"],
    ["kept", "notDone", "careful", "kept at its deadline, with 1 pod still on the node"],
    [
      "dry-run",
      "done",
      "careful",
      "dry run, nothing was changed: 1 pod would be evicted, 1 held, 0 left alone; demo/web: held",
    ],
    ["no-node", "notDone", "careful", "no node of this instance"],
    ["instance-ended", "notDone", "careful", "the instance has ended by itself"],
    ["joined", "done", "good", "joined: ip-192-168-18-230.eu-west-1.compute.internal is ready"],
    ["registered", "done", "good", "arn:aws:iam::123456789012:role/node may join"],
    [
      "not-registered",
      "notDone",
      "careful",
      "not registered, completed with CONTINUE: aws-auth cannot be read",
    ],
    ["not-joined", "notDone", "careful", "not joined, completed with ABANDON: never registered"],
    ["released-elsewhere", "notDone", "careful", "released by somebody else"],
    ["tested", "done", "good", "test notification acknowledged"],
    [
      "passed-on",
      "done",
      "good",
      "a notice about several instances: each of 1 has one of its own now",
    ],
    [
      "called-off",
      "done",
      "good",
      "planned work called off, ip-192-168-18-230.eu-west-1.compute.internal open again",
    ],
    ["ignored", "notDone", "careful", "ignored: group x is not managed here"],
  ])("is done or not, and has a few words and a tone: %s", (...row) => {
    const [kind, exit, tone, words] = row;
    const outcome = sampleOutcomes[kind];
    const entry = { kind: "notice-done", notice: "terminating i-1", outcome } as const;

    expect(rowOf(outcome).exit).toBe(exit);
    expect(progressLines({ ...entry, at: instant(0), source: "function" })).toEqual([
      { tone, verb: "done", detail: words },
    ]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["drained", [], []],
    ["drained, with volumes still attached: pv-1, pv-2", ["pv-1", "pv-2"], []],
    ["drained, with pods that do not end: demo/a: stuck", [], ["demo/a"]],
    [
      "drained, with volumes still attached: pv-1, with pods that do not end: a: stuck; b: stuck",
      ["pv-1"],
      ["a", "b"],
    ],
  ])("of a drain that is done names what is left: %s", (words, attached, pods) => {
    const stuck = pods.map((about) => ({ about, why: "stuck" }));
    const outcome = { kind: "drained", attached, stuck } as const;

    expect(rowOf(outcome).words(outcome)).toBe(words);
  });

  it.each([
    ["", ["pv-1"]],
    [", also in an older line, which had both in one list", ["pv-1", "web: draining"]],
  ])("names the volumes apart from the load balancers%s", (_, attached) => {
    const targets = [{ about: "web", why: "draining" }];

    expect(wordsOfOutcome({ ...sampleOutcomes.drained, attached, targets })).toBe(
      "drained, with volumes still attached: pv-1, with load balancers not done: web: draining",
    );
  });

  it("of a dry run counts the pods that its lines do not name", () => {
    const counts = { evicted: 111, held: 1, left: 2 };

    expect(wordsOfOutcome({ ...sampleOutcomes["dry-run"], counts })).toContain(
      "111 pods would be evicted, 1 held, 2 left alone",
    );
  });

  it.each(["drained", "forced", "expired", "kept"] as const)(
    "of a drain says since when it is late: %s",
    (kind) => {
      const late = { ...sampleOutcomes[kind], late: "2026-11-20T10:20:00.000Z" };
      expect(wordsOfOutcome(late)).toBe(
        `${wordsOfOutcome(sampleOutcomes[kind])}; late: a pass began only at 2026-11-20T10:20:00.000Z`,
      );
    },
  );
});
