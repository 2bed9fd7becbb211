import { expect, it } from "vitest";
import { leastOf, plus, shortOf, total } from "../../lambda/drain/resources.ts";

it("amounts of each resource are added, also of those that only one side has", () => {
  expect(plus({ cpu: 3, pods: 1 }, { cpu: 1, memory: 2 })).toEqual({ cpu: 4, pods: 1, memory: 2 });
  expect(total([{ cpu: 1 }, { cpu: 2, pods: 1 }, {}])).toEqual({ cpu: 3, pods: 1 });
});

it("a resource is short where more is asked for than is free, and never where nothing is asked for", () => {
  const asked = { cpu: 2, memory: 1, pods: 1, "nvidia.com/gpu": 0 };
  expect(shortOf(asked, { cpu: 1, memory: 1, "nvidia.com/gpu": -1 })).toEqual(["cpu", "pods"]);
});

it("the least of some amounts has each resource of the first, and none of what one of the others lacks", () => {
  expect(leastOf([])).toEqual({});
  expect(
    leastOf([
      { cpu: 3, memory: 2, pods: 1 },
      { cpu: 1, memory: 5 },
    ]),
  ).toEqual({
    cpu: 1,
    memory: 2,
    pods: 0,
  });
});
