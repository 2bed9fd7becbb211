import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { burst } from "../world/burst.ts";
import { endingsIn, evictedIn, outcomesIn } from "../world/evidence.ts";

const allContinue = (nodes: number): readonly string[] =>
  Array.from({ length: nodes }, () => "CONTINUE by call");

describe("nodes that end at once, before an API server that throttles,", () => {
  it.each([10, 100])(
    "are all drained, with at most 1.55 requests for each pod, some two for the Events of each node included: %d nodes",
    async (nodes) => {
      const size = { nodes, staying: Math.ceil(nodes / 4), podsOfNode: 30, rate: 400 };
      const { world, figures } = await burst(size);

      expect(endingsIn(world)).toEqual(allContinue(nodes));
      expect(figures.requestsOfPod).toBeLessThanOrEqual(1.55);
      expect(figures.receivesOfNotice).toBeLessThanOrEqual(2);
      expect(figures.released).toBeLessThanOrEqual(seconds(30));
    },
  );
});

describe("300 nodes that end at once, with ten processes of the function,", () => {
  it.each([
    ["by hooks", 400],
    ["by hooks", "no limit"],
    ["as Spot", 400],
    ["as Spot", "no limit"],
  ] as const)(
    "are all drained without a pod being evicted onto another one that goes: told %s, requests a second %s",
    async (told, rate) => {
      const size = { nodes: 300, staying: 30, podsOfNode: 2 };
      const { world, atFirst, landed, figures } = await burst({ ...size, told, rate });

      expect(outcomesIn(world).map(({ kind }) => kind)).toEqual(Array(300).fill("drained"));
      expect(endingsIn(world)).toEqual(told === "as Spot" ? [] : allContinue(300));
      expect(landed).toEqual([]);
      expect(evictedIn(world).toSorted()).toEqual(atFirst.toSorted());
      // Two pods bear all requests of their node, two of them for its Events. Spot notices come twice.
      expect(figures.requestsOfPod).toBeLessThanOrEqual(told === "as Spot" ? 8.5 : 6.5);
      expect(figures.receivesOfNotice).toBeLessThanOrEqual(2);
    },
  );
});
