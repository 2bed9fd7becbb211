import { describe, expect, test } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { recordTag } from "../../lambda/repair/repair-record.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import {
  afterwards,
  aPolicy,
  aSurvey,
  inTime,
  judged,
  numberOf,
  replaced,
  type Say,
  silent,
} from "./repair-builders.ts";

/** A group of 1,000 of which so many fell ill at the same moment, all over its zones. */
const ill = (count: number): readonly Say[] =>
  Array.from({ length: count }, (_, index) => [index * 2, silent(30)]);
const thousand = (count: number) => aSurvey([{ size: 1000, says: ill(count) }]);

/** How many of a plan's cases have each verdict. */
const tally = (survey: Survey) =>
  Object.fromEntries(
    [...Map.groupBy(Object.values(judged(survey)), (verdict) => verdict)].map(([kind, all]) => [
      kind,
      all.length,
    ]),
  );

/** What is repaired in passes every five minutes, while the groups replace what they are told to. */
function repairedIn(survey: Survey, passes: number): readonly (readonly number[])[] {
  const repaired: number[][] = [];
  let world = survey;
  for (let pass = 0; pass < passes; pass += 1) {
    const plan = judgeRepairs(world, aPolicy());
    repaired.push(plan.cases.filter(({ verdict }) => verdict.kind === "repairs").map(numberOf));
    world = withRecords(afterwards(world, plan), plan.records);
    world = inTime(replaced(inTime(world, minutes(4))), minutes(1));
  }
  return repaired;
}

function withRecords(survey: Survey, upkeep: ReturnType<typeof judgeRepairs>["records"]): Survey {
  const written = Object.fromEntries(upkeep.flatMap((one) => one.done.map(recordTag)));
  const removed = new Set(upkeep.flatMap(({ remove }) => remove));
  const groups = survey.groups.map((group) => {
    const all = Object.entries({ ...group.scalingGroup.tags, ...written });
    const tags = Object.fromEntries(all.filter(([key]) => !removed.has(key)));
    return { ...group, scalingGroup: { ...group.scalingGroup, tags } };
  });
  return { ...survey, groups };
}

describe("of 1,000 nodes", () => {
  test("one that falls ill is repaired", () => {
    expect(tally(thousand(1))).toEqual({ replace: 1 });
  });

  test("50 that fall ill at once are repaired one after the other, by id, four an hour", () => {
    expect(tally(thousand(50))).toEqual({ replace: 1, "held: at-once": 49 });
    const hour = repairedIn(thousand(50), 24);
    expect(hour.flat()).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    expect(hour.slice(0, 13).map((pass) => pass.length)).toEqual([
      1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    ]);
  });

  test("50 that fell ill at different times are repaired in that order", () => {
    const says = Array.from({ length: 50 }, (_, at): Say => [at * 2, silent(30 + ((at * 7) % 50))]);
    const order = says
      .map(([number]) => number)
      .toSorted((a, b) => (((b / 2) * 7) % 50) - (((a / 2) * 7) % 50));
    const survey = aSurvey([{ size: 1000, says }]);
    expect(repairedIn(survey, 4).flat()).toEqual(order.slice(0, 4));
  });

  test("400 that fall ill at once are none of them repaired, now or later", () => {
    expect(tally(thousand(400))).toEqual({ "held: ill-share": 400 });
    expect(repairedIn(thousand(400), 24).flat()).toEqual([]);
  });

  test("200 are as many as may be ill", () => {
    expect(tally(thousand(200))).toEqual({ replace: 1, "held: at-once": 199 });
    expect(tally(thousand(201))).toEqual({ "held: ill-share": 201 });
  });
});
