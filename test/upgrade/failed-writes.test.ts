import { expect, it } from "vitest";
import { nodeUid } from "../../lambda/base/ids.ts";
import { type Instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import { FailedWrites, longestFailing } from "../../lambda/upgrade/failed-writes.ts";
import { noon } from "../support/builders.ts";

const [one, other] = [{ uid: nodeUid("one") }, { uid: nodeUid("other") }];
const upgrade = "aaaaaaaa";
const after = (count: number): Instant => later(noon, minutes(count));

/** The writes of a node that have failed at these minutes. */
function failedAt(...times: readonly number[]): FailedWrites {
  const writes = new FailedWrites();
  for (const time of times) writes.note(one, upgrade, "fails", after(time));
  return writes;
}

it("a node's writes fail from the first to the last of a row of failures", () => {
  const writes = failedAt(0, 20, 40);
  expect(writes.failingFor(one, upgrade)).toBe(minutes(40));
  expect(writes.failingFor(other, upgrade)).toBe(0);
  expect(writes.has(one, upgrade)).toBe(true);
  expect(writes.has(other, upgrade)).toBe(false);
});

it("a write that works ends the row", () => {
  const writes = failedAt(0, 20);
  writes.note(one, upgrade, "works", after(25));
  expect(writes.areNone).toBe(true);
  writes.note(one, upgrade, "fails", after(40));
  expect(writes.failingFor(one, upgrade)).toBe(0);
});

it("a write that works ends no row of writes that others undo, unless it lasts for five minutes", () => {
  const writes = failedAt();
  writes.note(one, upgrade, "is-undone", after(0));
  writes.note(one, upgrade, "works", later(after(5), seconds(-1)));
  writes.note(one, upgrade, "is-undone", after(5));
  expect(writes.failingFor(one, upgrade)).toBe(minutes(5));
  writes.note(one, upgrade, "works", after(10));
  expect(writes.areNone).toBe(true);
});

it("a write that works ends a row whose last one failed, although one before was undone", () => {
  const writes = failedAt();
  writes.note(one, upgrade, "is-undone", after(0));
  writes.note(one, upgrade, "fails", after(1));
  writes.note(one, upgrade, "works", after(2));
  expect(writes.areNone).toBe(true);
});

it("a failure begins a new row where nobody has written the node for half an hour, for nobody knows about the time between", () => {
  expect(longestFailing).toBe(minutes(30));
  expect(failedAt(0, 30).failingFor(one, upgrade)).toBe(0);
  const writes = failedAt(0);
  writes.note(one, upgrade, "fails", later(after(30), seconds(-1)));
  expect(writes.failingFor(one, upgrade)).toBe(seconds(29 * 60 + 59));
});

it("a node that has failed in one upgrade has not in the next", () => {
  const writes = failedAt(0, 20);
  expect(writes.has(one, "bbbbbbbb")).toBe(false);
  writes.note(one, "bbbbbbbb", "fails", after(25));
  expect(writes.failingFor(one, "bbbbbbbb")).toBe(0);
});

it("a node is given up once it fails after others were written, and not before", () => {
  const writes = failedAt(0, 20, 40);
  writes.compare(one, true);
  expect(writes.isGivenUp(one, upgrade)).toBe(false);
  writes.note(one, upgrade, "fails", after(45));
  expect(writes.isGivenUp(one, upgrade)).toBe(true);
  writes.compare(one, false);
  expect(writes.isGivenUp(one, upgrade)).toBe(true);
});

it("a node is not given up where no other was written in the end", () => {
  const writes = failedAt(0, 20, 40);
  writes.compare(one, true);
  writes.compare(one, false);
  writes.note(one, upgrade, "fails", after(45));
  expect(writes.isGivenUp(one, upgrade)).toBe(false);
});

it("a node whose writes do not fail is not given up, whatever others do", () => {
  const writes = failedAt();
  writes.compare(one, true);
  expect(writes.areNone).toBe(true);
  expect(writes.isGivenUp(one, upgrade)).toBe(false);
});
