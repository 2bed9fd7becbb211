import { describe, expect, it } from "vitest";
import type { NodeCount } from "../../lambda/group/node-count.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { batchOf, nodesOf, surgeOf } from "../../lambda/upgrade/sizes.ts";

const count = (value: number): NodeCount => ({ kind: "count", value });
const percent = (value: number): NodeCount => ({ kind: "percentage", value });

describe("the sizes of an upgrade", () => {
  // https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
  it.each([
    { zones: 1, size: 3, maxUnavailable: count(1), surge: 2, batch: 1 },
    { zones: 3, size: 10, maxUnavailable: count(1), surge: 6, batch: 1 },
    { zones: 5, size: 20, maxUnavailable: count(1), surge: 10, batch: 1 },
    { zones: 5, size: 20, maxUnavailable: count(20), surge: 20, batch: 20 },
    { zones: 3, size: 500, maxUnavailable: percent(33), surge: 100, batch: 100 },
    { zones: 3, size: 10, maxUnavailable: percent(33), surge: 6, batch: 3 },
    { zones: 1, size: 2, maxUnavailable: percent(10), surge: 2, batch: 1 },
  ])(
    "are those of a managed group: $surge more and $batch at a time of $size in $zones zones with $maxUnavailable.value ($maxUnavailable.kind)",
    ({ zones, size, maxUnavailable, surge, batch }) => {
      const options = { ...usualOptions, maxUnavailable };

      expect(surgeOf(options, size, zones)).toBe(surge);
      expect(batchOf(options, size, zones)).toBe(batch);
      const minimal = { ...options, strategy: "MINIMAL" } as const;
      expect(surgeOf(minimal, size, zones)).toBe(0);
      expect(batchOf(minimal, size, zones)).toBe(batch);
    },
  );

  it("are one's own where one chooses the surge, and no more nodes are out than it makes up for", () => {
    const options = { ...usualOptions, maxUnavailable: count(5), surge: 2 };

    expect(surgeOf(options, 10, 3)).toBe(2);
    expect(batchOf(options, 10, 3)).toBe(2);
  });

  it.each([
    [33, 10, 3],
    [33, 2, 1],
    [1, 1, 1],
    [100, 7, 7],
    [99, 500, 100],
  ])("make of %i percent of %i nodes %i", (value, size, nodes) => {
    expect(nodesOf(percent(value), size)).toBe(nodes);
  });
});
