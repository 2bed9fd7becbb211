import { expect, it, vi } from "vitest";
import { unlike } from "../../lambda/drain/alike.ts";
import { aPod, somePods } from "../support/builders.ts";

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
