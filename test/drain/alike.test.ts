import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { unlike } from "../../lambda/drain/alike.ts";
import { governs } from "../../lambda/drain/budget.ts";
import { aBudget, aPod, somePods } from "../builders.ts";

it("pods of the same namespace and labels have one of them to stand for all", () => {
  const pods = somePods(["a", "b", "c"], { labels: { app: "web" } });
  expect(unlike(pods)).toHaveLength(1);
});

it("pods of other labels or another namespace stand for themselves", () => {
  const web = { labels: { app: "web" } };
  const pods = [
    aPod(web),
    aPod({ labels: { app: "web", tier: "front" } }),
    aPod({ labels: {} }),
    aPod({ ...web, namespace: "elsewhere" }),
  ];
  expect(unlike(pods)).toEqual(pods);
});

it("the pods of a node are compared once, not at each change of a budget", () => {
  const pods = somePods(["a", "b"], {});
  const map = vi.spyOn(pods, "map");
  expect(unlike(pods)).toBe(unlike(pods));
  expect(map).toHaveBeenCalledOnce();
});

it("the labels of a pod are written once, however often other pods of its node change", () => {
  const read = vi.fn(() => "web");
  const pod = aPod({ labels: Object.defineProperty({}, "app", { get: read, enumerable: true }) });
  for (const others of [[], somePods(["b"]), somePods(["b", "c"])]) unlike([pod, ...others]);
  expect(read).toHaveBeenCalledOnce();
});

it("a budget governs some pod exactly if it governs one that stands for others", () => {
  const text = fc.constantFrom("a", "b");
  const podsOf = fc.array(
    fc
      .record({ namespace: text, labels: fc.dictionary(text, text, { maxKeys: 2 }) })
      .map((change) => aPod(change)),
    { maxLength: 6 },
  );
  const budgetOf = fc
    .record({ namespace: text, key: text, value: text })
    .map(({ namespace, key, value }) => {
      const requirements = [{ key, operator: "In", values: [value] }];
      return aBudget({ namespace, selector: { kind: "labels", requirements } });
    });
  fc.assert(
    fc.property(podsOf, budgetOf, (pods, budget) => {
      const governed = (some: typeof pods) => some.some((pod) => governs(budget, pod));
      expect(governed([...unlike(pods)])).toBe(governed(pods));
    }),
  );
});
