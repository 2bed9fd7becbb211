import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../../lambda/base/time.ts";
import { markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { aCluster, deploy, drain, first, nodeNow, podsOn } from "./a-cluster.ts";

const slow = {
  annotations: { "hollow/term-seconds": "6" },
  spec: { terminationGracePeriodSeconds: 30 },
};

describe("drain, where the clock of this computer is", () => {
  it.each([
    ["a hundred seconds ahead", seconds(-100), /is 1 min [1-4]\d s ahead of the cluster's/],
    [
      "ten minutes behind",
      minutes(10),
      /is (?:9 min [2-5]\d s|10 min(?: \d s)?) behind the cluster's/,
    ],
  ])(
    "%s of the cluster's, waits for the grace of each pod, and says so",
    async (_, ahead, words) => {
      const world = await aCluster(ahead);
      deploy(world, { name: "web", ...slow, on: [first, first] });
      const begun = Date.now();

      const { io, code } = drain(world, [first]);

      expect(await code).toBe(0);
      expect(podsOn(world, first)).toEqual([]);
      expect(Date.now() - begun).toBeGreaterThanOrEqual(6000);
      expect(io.out()).toMatch(/drained ip-10-0-0-1 in (?:[6-9]|[1-9]\d) s: 2 pods gone/);
      expect(io.out() + io.err()).toMatch(words);
      const marked = Date.parse(
        nodeNow(world, first).metadata.annotations?.[markedAtAnnotation] ?? "",
      );
      expect(Math.abs(marked - (begun + ahead))).toBeLessThan(Math.abs(ahead) / 2);
    },
  );

  it("right, says nothing of it", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first] });
    const { io, code } = drain(world, [first]);
    expect(await code).toBe(0);
    expect(io.out() + io.err()).not.toContain("clock");
  });
});
