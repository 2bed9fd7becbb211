import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { hours, instant, minutes } from "../../lambda/base/time.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { rulesWith } from "../../lambda/repair/repair-policy.ts";
import {
  causeText,
  type RepairRecord,
  recordsIn,
  recordTag,
  unreadableRecords,
} from "../../lambda/repair/repair-record.ts";
import { template } from "../group/group-builders.ts";
import { ago, ahead } from "../support/builders.ts";
import {
  aPolicy,
  aRecord,
  aSurvey,
  aSurveyWithout,
  idOf,
  judged,
  readyBut,
  type Say,
  silent,
  since,
} from "./repair-builders.ts";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 });
const id = fc.stringMatching(/^i-[\da-f]{8,17}$/).map(instanceId);
const records: fc.Arbitrary<RepairRecord> = fc.record({
  instance: id,
  at: fc.integer({ min: 0, max: 4e12 }).map(instant),
  action: fc.constantFrom("reboot", "replace"),
  cause: fc.record({ condition: words, reason: words }).map(causeText),
  version: fc.constantFrom("configuration", `${template}:1`, `${template}:123456`),
  inRow: fc.integer({ min: 1, max: 1000 }),
  by: fc.oneof(fc.constant("nobody-yet" as const), id),
});

describe("a record", () => {
  test("is a tag that Auto Scaling takes, and is read as it was written", () => {
    fc.assert(
      fc.property(records, (record) => {
        const [key, value] = recordTag(record);
        expect(recordsIn({ [key]: value })).toEqual([record]);
        expect(key).toMatch(/^[\w.:/=+@-]{1,128}$/);
        expect(value).toMatch(/^[\w.:/=+@ -]{1,256}$/);
      }),
    );
  });

  test.each([
    "",
    "yesterday replace Ready lt-1:1 1",
    "2026-11-20T12:00:00.000Z none Ready lt-1:1 1",
    "2026-11-20T12:00:00.000Z replace Ready lt-1:1",
    "2026-11-20T12:00:00.000Z replace Ready lt-1:1 0",
    "2026-11-20T12:00:00.000Z replace Ready lt-1:1 1 by me",
  ])("that somebody has made %j is none", (value) => {
    const tags = { "eks-node-lifecycle/repaired/i-1": value };
    expect(recordsIn(tags)).toEqual([]);
    expect(unreadableRecords(tags)).toEqual(Object.keys(tags));
  });

  test("stands beside other tags, and the newest come first", () => {
    const tags = [aRecord(1, 9), aRecord(2, 3), aRecord(3, 6)].map(recordTag);
    const all = Object.fromEntries(tags);
    const read = recordsIn({ ...all, "eks-node-lifecycle/upgrade": "?", Name: tags[0]?.[1] });
    expect(read.map(({ instance }) => instance)).toEqual([2, 3, 1].map(idOf));
    expect(unreadableRecords({ ...all, "eks-node-lifecycle/upgrade": "?" })).toEqual([]);
  });

  test("is of the repair that begins: when, why, of which version", () => {
    const [one] = judgeRepairs(aSurvey([{ says: [[4, silent(40)]] }]), aPolicy()).cases;
    expect(one?.verdict).toEqual({
      kind: "repairs",
      step: { kind: "replace", record: aRecord(4, 0) },
    });
  });

  test("counts anew in the budget when its repair is carried on after an hour", () => {
    const told = { says: [[4, silent(90)]] as readonly Say[], records: [aRecord(4, 60)] };
    const [one] = judgeRepairs(aSurvey([told]), aPolicy()).cases;
    expect(one?.verdict).toMatchObject({ step: { record: aRecord(4, 0) } });
  });

  test("names a launch configuration as the version of an instance that has no template", () => {
    const says: readonly Say[] = [[4, silent(40), { source: "configuration" }]];
    const [one] = judgeRepairs(aSurvey([{ says }]), aPolicy()).cases;
    expect(one?.verdict).toMatchObject({ step: { record: { version: "configuration" } } });
  });

  test("has what a tag cannot hold as one sign, however long it is", () => {
    const cause = { condition: "KernelReady", reason: "out of (PIDs), or so" };
    expect(causeText(cause)).toBe("KernelReady/out_of_PIDs_or_so");
  });

  test("has room for the longest reason", () => {
    expect(causeText({ condition: "KernelReady", reason: "x".repeat(1024) })).toHaveLength(120);
  });

  test("of an earlier illness of the instance begins anew", () => {
    const told = { says: [[4, silent(40)]] as readonly Say[], records: [aRecord(4, 50)] };
    const [one] = judgeRepairs(aSurvey([told]), aPolicy()).cases;
    expect(one?.verdict).toMatchObject({ step: { record: aRecord(4, 0) } });
  });
});

describe("the records of a group", () => {
  const upkeep = (told: Parameters<typeof aSurvey>[0], mode: "dry-run" | "repair" = "repair") =>
    judgeRepairs(aSurvey(told), aPolicy({ mode })).records;
  const fresh = (number: number, length: number): Say => [
    number,
    { created: ago(minutes(length)) },
  ];

  test("give every repair a replacement of its own, the first to the first", () => {
    const told = { says: [fresh(8, 5), fresh(9, 8)], records: [aRecord(77, 20), aRecord(78, 10)] };
    expect(upkeep([told])[0]?.done.map(({ instance, by }) => [instance, by])).toEqual([
      [idOf(77), idOf(9)],
      [idOf(78), idOf(8)],
    ]);
  });

  test("never name a replacement twice", () => {
    const told = {
      says: [fresh(9, 5)],
      records: [aRecord(77, 20), aRecord(78, 10, { by: idOf(9) })],
    };
    expect(upkeep([told])).toEqual([]);
  });

  test.each<[string, Say]>([
    ["is older than the repair", fresh(9, 21)],
    ["is not ready", [9, { created: ago(minutes(5)), readiness: "not-ready" }]],
    ["is ill", [9, { created: ago(minutes(5)), ...readyBut(since("KernelReady", "False", 1)) }]],
    ["leaves", [9, { created: ago(minutes(5)) }, { state: "Terminating:Wait" }]],
  ])("never name one that %s", (_, say) => {
    expect(upkeep([{ says: [say], records: [aRecord(77, 20)] }])).toEqual([]);
  });

  test("wait while the instance is still in its group", () => {
    const says: readonly Say[] = [fresh(9, 5), [4, silent(50), { state: "Terminating:Wait" }]];
    expect(upkeep([{ says, records: [aRecord(4, 20)] }])).toEqual([]);
  });

  test("never say that somebody took the place of one that was rebooted", () => {
    const record = aRecord(77, 20, { action: "reboot" });
    expect(upkeep([{ says: [fresh(9, 5)], records: [record] }])).toEqual([]);
  });

  test("are the newest ten; the others are forgotten", () => {
    const many = Array.from({ length: 12 }, (_, n) => aRecord(70 + n, n, { by: idOf(1) }));
    expect(upkeep([{ records: many }])).toEqual([
      {
        group: "workers",
        done: [],
        tags: {},
        remove: [80, 81].map((number) => `eks-node-lifecycle/repaired/${idOf(number)}`),
      },
    ]);
  });

  test("are left as they are in dry-run mode", () => {
    expect(upkeep([{ says: [fresh(9, 5)], records: [aRecord(77, 20)] }], "dry-run")).toEqual([]);
  });
});

describe("the same cause on replacements in a row", () => {
  const cause = "NoNode";
  const version = `${template}:1`;
  const row = (times: number) =>
    Array.from({ length: times }, (_, n) => aRecord(70 + n, 200 - 20 * n, { cause, inRow: n + 1 }));
  const neverJoined = (records: readonly RepairRecord[], length = 20, told = {}) =>
    aSurveyWithout([[4, length]], { records, ...told });

  test("is replaced twice more and then no more, because it is the template", () => {
    expect(judged(neverJoined(row(2)))).toEqual({ 4: "replace" });
    const survey = neverJoined(row(3));
    const brake = { kind: "same-cause", cause, version, times: 3, until: ahead(minutes(1280)) };
    expect(judgeRepairs(survey, aPolicy()).cases).toMatchObject([{ verdict: { brakes: [brake] } }]);
  });

  test.each<[string, readonly RepairRecord[]]>([
    ["of another cause", row(3).map((one) => ({ ...one, cause: "Ready" }))],
    ["of another version", row(3).map((one) => ({ ...one, version: `${template}:2` }))],
    ["by reboot", row(3).map((one) => ({ ...one, action: "reboot" }))],
    ["a day ago", row(3).map((one) => ({ ...one, at: ago(hours(24)) }))],
  ])("is not what repairs %s were for", (_, records) => {
    expect(judged(neverJoined(records))).toEqual({ 4: "replace" });
  });

  test("is not counted twice for an instance whose own record is there already", () => {
    const young = { created: ago(minutes(3)), ...readyBut(since("KernelReady", "False", 2)) };
    const told = {
      says: [[4, young]] as const,
      records: [aRecord(4, 1, { cause: "KernelReady" })],
    };
    const own = { condition: "KernelReady", reason: "*", minutes: 1, action: "replace" } as const;
    const [one] = judgeRepairs(aSurvey([told]), aPolicy({}, rulesWith([own]))).cases;
    expect(one?.verdict).toMatchObject({ step: { record: { inRow: 1 } } });
  });

  test("is seen also by a clock that is some minutes behind", () => {
    expect(judged(neverJoined(row(3), 164))).toEqual({ 4: "held: same-cause" });
    expect(judged(neverJoined(row(3), 165))).toEqual({ 4: "replace" });
  });
});

test("records of the future, such as a foreign tag, do not use up the budget of the hour", () => {
  const records = [21, 22, 23, 24].map((number) => aRecord(number, -600));
  const says: readonly Say[] = [[3, silent(60)]];

  expect(judged(aSurvey([{ records, says }]))).toEqual({ 3: "replace" });
});
