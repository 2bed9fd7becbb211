import { expect, test } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { hours, later, milliseconds, minutes, never } from "../../lambda/base/time.ts";
import { KnownDrains } from "../../lambda/making-room/known-drains.ts";
import { ago, ahead, drained, noon } from "../support/builders.ts";

const drain = { until: ahead(minutes(5)), force: "never" } as const;
const mark = { at: ago(minutes(5)), deadline: never };
const other = nodeName("other");

const markOf = (drains: KnownDrains, workload: string, at = mark.at) =>
  drains.marksFor(workload, new Map([[drained, { ...mark, at }]])).get(drained);

test("a drain of the process is known by its node and workload, as long as the node is not marked again", () => {
  const drains = new KnownDrains();
  drains.note(drained, "web", drain, noon);
  expect(markOf(drains, "web")).toMatchObject({ ...mark, drain });
  expect(markOf(drains, "web", noon)).toMatchObject({ drain });
  expect(markOf(drains, "web", later(noon, milliseconds(1)))).not.toHaveProperty("drain");
  expect(markOf(drains, "api")).toEqual(mark);
  expect([...drains.marksFor("web", new Map([[other, mark]]))]).toEqual([[other, mark]]);
});

test("a drain of the process is forgotten an hour after its last look", () => {
  const drains = new KnownDrains();
  drains.note(drained, "web", drain, noon);
  drains.note(other, "web", drain, later(noon, milliseconds(hours(1) - 1)));
  expect(markOf(drains, "web")).toHaveProperty("drain");
  drains.note(other, "web", drain, later(noon, hours(1)));
  expect(markOf(drains, "web")).not.toHaveProperty("drain");
});
