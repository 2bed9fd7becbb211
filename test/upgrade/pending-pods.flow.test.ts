import { describe, expect, it } from "vitest";
import { pendingPods } from "../../lambda/upgrade/pending-pods.flow.ts";

/** A cluster in which so many pods of each namespace wait and run. */
const cluster = (
  waiting: Readonly<Record<string, number>>,
  running: Readonly<Record<string, number>>,
) => {
  const asked: string[] = [];
  const port = {
    pendingPods: async () => new Map(Object.entries(waiting)),
    runningPods: async (namespace: string) => {
      asked.push(namespace);
      return running[namespace] ?? 0;
    },
  };
  return { asked, port };
};

describe("the pods that wait for a node", () => {
  it.each([
    [250, 0, 250],
    [251, 0, 250],
    [5000, 62, 250],
    [5000, 63, 252],
    [5000, 1250, 5000],
    [5000, 9999, 5000],
  ])("of a namespace where %d wait and %d run count as %d", async (waiting, running, counted) => {
    const { port } = cluster({ shop: waiting }, { shop: running });
    expect(await pendingPods(port)).toMatchObject({ counted });
  });

  it("count together, and name the namespaces that have most of them", async () => {
    const { port, asked } = cluster({ a: 3, b: 200, c: 2000, d: 1, e: 249 }, { c: 200 });
    expect(await pendingPods(port)).toEqual({
      counted: 3 + 200 + 800 + 1 + 249,
      where: "800 of namespace c, 249 of namespace e, 200 of namespace b",
      uncounted: ["2000 of namespace c count as 800, because few of its pods run"],
    });
    expect(asked).toEqual(["c"]);
  });

  it("do not hold the upgrades of everybody where somebody has them in four namespaces", async () => {
    const { port } = cluster({ a: 5000, b: 5000, c: 5000, d: 5000 }, { a: 1 });
    const { counted } = await pendingPods(port);
    expect(counted).toBeLessThanOrEqual(1000);
  });

  it("cost a request for each of twenty namespaces at the most", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n-${at}`, 600 + at]));
    const { port, asked } = cluster(many, many);
    const { counted } = await pendingPods(port);
    expect(asked).toHaveLength(20);
    expect(asked).not.toContain("n-9");
    const all = Object.values(many).reduce((sum, one) => sum + one, 0);
    expect(counted).toBe(
      all - Array.from({ length: 10 }, (_, at) => 350 + at).reduce((a, b) => a + b),
    );
  });
});
