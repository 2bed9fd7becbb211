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
    [500, 0, 500],
    [501, 0, 500],
    [5000, 125, 500],
    [5000, 126, 504],
    [5000, 1250, 5000],
    [5000, 9999, 5000],
  ])("of a namespace where %d wait and %d run count as %d", async (waiting, running, counted) => {
    const { port } = cluster({ shop: waiting }, { shop: running });
    expect(await pendingPods(port)).toMatchObject({ counted });
  });

  it("count together, and name the namespaces that have most of them", async () => {
    const { port, asked } = cluster({ a: 3, b: 400, c: 2000, d: 1, e: 499 }, { c: 200 });
    expect(await pendingPods(port)).toEqual({
      counted: 3 + 400 + 800 + 1 + 499,
      where: "800 of namespace c, 499 of namespace e, 400 of namespace b",
      uncounted: ["2000 of namespace c count as 800, because few of its pods run"],
    });
    expect(asked).toEqual(["c"]);
  });

  it("cost a request for each of twenty namespaces at the most", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n-${at}`, 600 + at]));
    const { port, asked } = cluster(many, many);
    const { counted } = await pendingPods(port);
    expect(asked).toHaveLength(20);
    expect(asked).not.toContain("n-9");
    const all = Object.values(many).reduce((sum, one) => sum + one, 0);
    expect(counted).toBe(
      all - Array.from({ length: 10 }, (_, at) => 100 + at).reduce((a, b) => a + b),
    );
  });
});
