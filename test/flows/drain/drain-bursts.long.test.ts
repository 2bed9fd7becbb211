import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/domain/time.ts";
import { burst } from "../../world/burst.ts";
import { endingsIn, evictedIn } from "../../world/evidence.ts";

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
  it.each([400, "no limit"] as const)(
    "are all drained without a pod being evicted onto another one that goes: requests a second %s",
    async (rate) => {
      const { world, atFirst, figures } = await burst({
        nodes: 300,
        staying: 30,
        podsOfNode: 2,
        rate,
      });

      expect(endingsIn(world)).toEqual(allContinue(300));
      expect(evictedIn(world).toSorted()).toEqual(atFirst.toSorted());
      // Two pods bear all requests of their node, two of them for its Events.
      expect(figures.requestsOfPod).toBeLessThanOrEqual(6.5);
      expect(figures.receivesOfNotice).toBeLessThanOrEqual(2);
    },
  );
});
