import { describe, expect, it } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { minutes } from "../../lambda/base/time.ts";
import { byLikelihood, type MachineNode, runsOn } from "../../lambda/drain/node.ts";
import { ago, aNode, noon } from "../support/builders.ts";

const instance = instanceId("i-07e9ea9eb19a67337");
const onInstance = (providerId: string) => runsOn(aNode({ providerId }), instance);

describe("a node runs on an instance", () => {
  it.each([
    "aws:///eu-west-1a/i-07e9ea9eb19a67337",
    "aws:///us-gov-west-1b/i-07e9ea9eb19a67337",
    "aws:///us-west-2-lax-1a/i-07e9ea9eb19a67337",
  ])("by its provider ID %s", (providerId) => {
    expect(onInstance(providerId)).toBe(true);
  });

  it.each([
    "aws:///eu-west-1a/i-07e9ea9eb19a67338",
    "aws:///eu-west-1a/i-07e9ea9eb19a673370",
    "aws:///eu-west-1a/xi-07e9ea9eb19a67337",
    "gce:///eu-west-1a/i-07e9ea9eb19a67337",
    "aws:///eu-west-1a/",
    "i-07e9ea9eb19a67337",
    "",
  ])("but not by %j", (providerId) => {
    expect(onInstance(providerId)).toBe(false);
  });

  it("and not by its name", () => {
    expect(runsOn(aNode({ name: nodeName(instance), providerId: "" }), instance)).toBe(false);
  });
});

describe("of two nodes that name the same instance", () => {
  const old = ago(minutes(5));
  type Likelihood = Pick<MachineNode, "readiness" | "created">;

  it.each<[string, Likelihood, Likelihood]>([
    [
      "the ready one, though it is older",
      { readiness: "ready", created: old },
      { readiness: "not-ready", created: noon },
    ],
    [
      "the newer one, where both are ready",
      { readiness: "ready", created: noon },
      { readiness: "ready", created: old },
    ],
    [
      "the newer one, where neither is",
      { readiness: "unreachable", created: noon },
      { readiness: "not-ready", created: old },
    ],
  ])("its own is more likely %s", (_, likely, other) => {
    expect([likely, other].toSorted(byLikelihood)).toEqual([other, likely]);
    expect([other, likely].toSorted(byLikelihood)).toEqual([other, likely]);
  });
});
