import { expect, it } from "vitest";
import { bulk, megabyte, node, reading } from "./tenant-server.ts";

it("the pages of many nodes that are read at once share what there is, because somebody may have filled each, and wait for none", async () => {
  const { cluster, read } = reading(...bulk(40));
  const found = await Promise.all(Array.from({ length: 40 }, () => cluster.pods(node)));
  expect(found.map(({ leftOut }) => leftOut)).toEqual(Array(40).fill(["tenant"]));
  expect(read.mostAtOnce).toBe(40);
  expect(read.mostHeld).toBeLessThan(130 * megabyte);
});

it("a page that is read alone may have all of it, also after many", async () => {
  const { cluster, read } = reading(...bulk(7));
  await Promise.all(Array.from({ length: 40 }, () => cluster.pods(node)));
  read.requests = 0;
  await cluster.pods(node);
  expect(read.requests).toBe(1);
});
