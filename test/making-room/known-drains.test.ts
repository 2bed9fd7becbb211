import { expect, test } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { hours, later, milliseconds, minutes, never } from "../../lambda/base/time.ts";
import { KnownDrains } from "../../lambda/making-room/known-drains.ts";
import type { DrainMark } from "../../lambda/making-room/room-scene.ts";
import { ago, ahead, drained, noon } from "../support/builders.ts";

const drain = { until: ahead(minutes(5)), force: "never" } as const;
const mark = { at: ago(minutes(5)), deadline: never };
const own = { node: drained, workload: "web", mark };
const other = nodeName("other");

const markOf = (drains: KnownDrains, workload = "web", change: Partial<DrainMark> = {}) =>
  drains.marksFor(workload, new Map([[drained, { ...mark, ...change }]])).get(drained);

test("a drain of the process is known by its node and workload, as long as the mark of the node is the same", () => {
  const drains = new KnownDrains();
  drains.note(own, drain, noon);
  expect(markOf(drains)).toEqual({ ...mark, drain });
  expect(markOf(drains, "api")).toEqual(mark);
  const [at, deadline] = [ago(minutes(4)), ahead(minutes(4))];
  expect(markOf(drains, "web", { at })).toEqual({ ...mark, at });
  expect(markOf(drains, "web", { deadline })).toEqual({ ...mark, deadline });
  expect([...drains.marksFor("web", new Map([[other, mark]]))]).toEqual([[other, mark]]);
});

test("a drain of the process is forgotten an hour after its last look", () => {
  const drains = new KnownDrains();
  drains.note(own, drain, noon);
  drains.note({ ...own, node: other }, drain, later(noon, milliseconds(hours(1) - 1)));
  expect(markOf(drains)).toHaveProperty("drain");
  drains.note({ ...own, node: other }, drain, later(noon, hours(1)));
  expect(markOf(drains)).not.toHaveProperty("drain");
});
