import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { instant, seconds } from "../../lambda/base/time.ts";
import { Semaphore } from "../../lambda/http/semaphore.ts";
import { type BoundedList, partOf } from "../../lambda/kubernetes/bounded-list.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { noon } from "../support/builders.ts";
import { serving } from "./large-objects.ts";

const megabyte = 1_000_000;

/** Reads a list of objects of these sizes; each look at the clock takes so long. */
async function read(
  sizes: readonly number[],
  {
    lasting = 0,
    ...bounds
  }: Partial<BoundedList<V1Pod, string>> & { readonly lasting?: number } = {},
) {
  const { connection, limits, read: chunks } = serving(...sizes);
  const client: KubeClient = {
    ask: (_doing, call) => call(connection),
    once: (call) => call(connection),
  };
  let now = noon;
  const clock = {
    now: () => {
      now = instant(now + lasting);
      return now;
    },
  };
  const list: BoundedList<V1Pod, string> = {
    path: "/api/v1/pods",
    most: 1000,
    pageSize: 100,
    itemsOf: ({ metadata }) => [metadata?.name ?? ""],
    ...bounds,
  };
  const { items, cut } = await partOf(list, { client, clock, gate: new Semaphore(() => 1) });
  const bytes = chunks.reduce((a, b) => a + b, 0);
  return { count: items.length, cut, limits, bytes };
}

const many = (count: number, size: number): readonly number[] => new Array(count).fill(size);

describe("a list that others may make as long as they like", () => {
  it("is read as a whole within its bounds", async () => {
    expect(await read(many(250, 100))).toMatchObject({
      count: 250,
      cut: "",
      limits: [100, 100, 100],
    });
  });

  it("ends with its most objects, and says so", async () => {
    const { count, cut } = await read(many(500, 100), { most: 200 });
    expect([count, cut]).toEqual([200, "there are more than 200"]);
    expect((await read(many(200, 100), { most: 200 })).cut).toBe("");
  });

  it("ends with its most bytes, of which a page has a part", async () => {
    const { count, cut, bytes } = await read(many(150, 1.3 * megabyte));
    expect(cut).toBe("they have more than 16 MB");
    expect(count).toBeLessThan(20);
    expect(bytes).toBeLessThan(60 * megabyte);
  });

  it("ends where one object alone has more than a page may have", async () => {
    const { count, cut } = await read([100, 5 * megabyte, 100], { pageSize: 1 });
    expect([count, cut]).toEqual([1, "they have more than 4 MB"]);
  });

  it("ends where it takes long", async () => {
    const { count, cut } = await read(many(500, 100), { lasting: seconds(2) });
    expect([count, cut]).toEqual([300, "to read them takes more than 5 s"]);
  });

  it("ends where those that were read are enough", async () => {
    const isEnough = (items: readonly string[]) => items.length > 100;
    expect((await read(many(500, 100), { isEnough })).count).toBe(200);
  });
});
