import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { listAll } from "../../lambda/kubernetes/collection.ts";
import { allBudgets } from "../../lambda/kubernetes/collections.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { podsOf } from "../../lambda/kubernetes/pod-lists.ts";
import { serving } from "./large-objects.ts";

/** A connection to a server that answers everything with this body. */
function answering(body: string): KubeConnection {
  const endpoint = new URL("https://127.0.0.1:9");
  const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
  async function* sent() {
    yield Buffer.from(body);
  }
  return new KubeConnection(address, async () => "a token", {
    request: async () => ({ status: 200, headers: {}, body: sent() }),
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
}

const pods = podsOf(nodeName("node-1"));

describe("a page of a collection", () => {
  it.each([
    ["nothing", "null"],
    ["an object", "{}"],
    ["a text", '"maintenance"'],
    ["a failure", '{"kind":"Status","status":"Failure","code":500}'],
  ])("that is %s instead of a list is no empty list", async (_what, body) => {
    for (const collection of [pods, allBudgets])
      await expect(collection.page(answering(body), "")).rejects.toMatchObject({
        code: "cluster.refused",
        message: `cluster.refused: listing ${collection.title}: the answer has no list of items`,
      });
  });

  it("may have null for no items", async () => {
    const page = pods.page(answering('{"items":null,"metadata":{"resourceVersion":"5"}}'), "");
    expect(await page).toMatchObject({ items: [], resourceVersion: "5", next: "" });
  });
});

const kilobyte = 1_000;

const megabyte = 1000 * kilobyte;
const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);

describe("a list of objects that others have made large", () => {
  it("is read in pages of fewer, so that little of it is in memory at once", async () => {
    const { connection, limits, read } = serving(...new Array(40).fill(1.3 * megabyte));
    const { items } = await listAll(pods, connection);
    expect(items.map(({ name }) => name)).toEqual(items.map((_, index) => `pod-${index}`));
    expect(items).toHaveLength(40);
    // The first answers break off, and then some pages do again.
    expect(limits.slice(0, 5)).toEqual([500, 125, 32, 8, 2]);
    expect(sum(read)).toBeLessThan(4 * 40 * 1.3 * megabyte);
  });

  it("of pods of a node has pages of 8 MB, and one pod may have more", async () => {
    const { connection, limits } = serving(10, 10, 9 * megabyte, 10);
    const { items } = await listAll(pods, connection);
    expect(items).toHaveLength(4);
    expect(limits).toContain(1);
  });

  it("is read in large pages again after them", async () => {
    const large = new Array(10).fill(3 * megabyte);
    const small = new Array(1500).fill(kilobyte);
    const { connection, limits } = serving(...large, ...small);
    const { items } = await listAll(pods, connection);
    expect(items).toHaveLength(1510);
    expect(limits.at(-1)).toBeGreaterThanOrEqual(250);
    // More where the answers of other tests are still under way, because all share the memory.
    expect(limits.length).toBeLessThan(40);
  });

  it("is refused where a single one has more than any object can have", async () => {
    const { connection } = serving(17 * megabyte);
    await expect(listAll(pods, connection)).rejects.toThrow("the answer has more than 16 MB");
  });
});
