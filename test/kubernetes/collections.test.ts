import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { allBudgets, podsOf } from "../../lambda/kubernetes/collections.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";

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
    expect(await page).toEqual({ items: [], resourceVersion: "5", next: "" });
  });
});
