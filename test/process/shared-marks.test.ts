import { expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { instant, later, seconds } from "../../lambda/base/time.ts";
import { SharedMarks } from "../../lambda/process/shared-ports.ts";

const id = instanceId("i-1");

const own = Promise.resolve("own");

it("a mark that is under way or just made is found for some seconds", async () => {
  let now = instant(0);
  const marks = new SharedMarks({ now: () => now });
  marks.keep(id, own);
  await own;
  now = later(now, seconds(19));
  expect(await marks.find(id)).toBe("own");
  now = later(now, seconds(1));
  expect(marks.find(id)).toBeUndefined();
});

it("a mark that has failed is not found any more", async () => {
  const marks = new SharedMarks({ now: () => instant(0) });
  const failed = Promise.resolve("failed");
  marks.keep(id, failed);
  expect(marks.find(id)).toBe(failed);
  await failed;
  expect(marks.find(id)).toBeUndefined();
});

it("the mark of one node is not that of another", () => {
  const marks = new SharedMarks({ now: () => instant(0) });
  marks.keep(id, own);
  expect(marks.find(instanceId("i-2"))).toBeUndefined();
});
