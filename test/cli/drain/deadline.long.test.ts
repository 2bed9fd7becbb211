import { describe, expect, it } from "vitest";
import { jsonLines } from "../json-lines-schema.ts";
import { aCluster, deploy, drain, first, podsOn, writesIn } from "./a-cluster.ts";

/** Drains a node whose only pod a budget holds, with the shortest deadline that there is. */
async function drainBlocked(...args: readonly string[]) {
  const world = await aCluster();
  deploy(world, { name: "web", on: [first], labels: { app: "web" } });
  await world.addBudget();
  const { io, code } = drain(world, [first, "--deadline", "30s", ...args]);
  return { world, io, code: await code };
}

describe("a drain whose deadline comes while a budget holds a pod", () => {
  it("ends with 3, names the pod with its reason, and deletes nothing unless it may force", async () => {
    const [kept, forced] = await Promise.all([
      drainBlocked(),
      drainBlocked("--force", "at-deadline", "--json"),
    ]);

    expect(kept.code).toBe(3);
    expect(kept.io.err()).toMatch(
      /^ip-10-0-0-1 is not drained\n {2}default\/web-1: held for .* by budget default\/web.*\n {2}node .*--undo/,
    );
    expect(podsOn(kept.world, first)).toEqual(["web-1"]);
    expect(writesIn(kept.world).filter((line) => line.startsWith("delete"))).toEqual([]);

    expect(forced.code).toBe(0);
    expect(jsonLines(forced.io).at(-1)).toMatchObject({
      ending: "drained",
      forced: [expect.stringMatching(/default\/web-1: deleted past budget default\/web/)],
    });
    expect(podsOn(forced.world, first)).toEqual([]);
  });
});
