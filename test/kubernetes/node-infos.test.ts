import { describe, expect, it } from "vitest";
import { hostsAs } from "../../lambda/kubernetes/node-infos.ts";
import { nodeOf } from "../../lambda/kubernetes/node-of.ts";

const allocatableOf = (others: number) => {
  const named = Array.from({ length: others }, (_, at) => [`untrue.example/${at}`, "1"]);
  const metadata = { name: "n", uid: "u", resourceVersion: "1" };
  const allocatable = { cpu: "4", pods: "110", ...Object.fromEntries(named) };
  return hostsAs(nodeOf).read({ metadata, status: { allocatable } }).allocatable;
};

describe("a node", () => {
  it("has the usual resources, if its kubelet names tens of thousands of others, which would be added up for each pod", () => {
    expect(allocatableOf(50_000)).toEqual({ cpu: 4000, pods: 110 });
  });

  it("has all of its resources, if there are a hundred", () => {
    expect(Object.keys(allocatableOf(100))).toHaveLength(102);
  });
});
