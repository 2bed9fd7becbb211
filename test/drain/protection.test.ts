import { describe, expect, it } from "vitest";
import type { Labels } from "../../lambda/base/labels.ts";
import { minutes } from "../../lambda/base/time.ts";
import type { Protection, Stop } from "../../lambda/drain/drain-policy.ts";
import { protectionEnds, tryProtection, tryProtectionOf } from "../../lambda/drain/protection.ts";
import { ago, ahead, aPod, noon, someSettings } from "../support/builders.ts";

const karpenter: Protection = "karpenter.sh/do-not-disrupt";
const autoscaler: Protection = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const ours = "eks-node-lifecycle/drain";

// Its node accepted it an hour ago.
const annotated = (annotations: Labels) => aPod({ annotations, started: ago(minutes(60)) });
const protectionOf = (
  annotations: Labels,
  heeded: readonly Protection[] = [karpenter, autoscaler],
) => tryProtection(annotated(annotations), heeded, noon);

describe("a pod is protected from eviction", () => {
  it.each<[string, string]>([
    [karpenter, "true"],
    [karpenter, "2h"],
    [karpenter, "1h1s"],
    [autoscaler, "false"],
    [autoscaler, "on-completion"],
    [ours, "wait-completed"],
  ])("by %s: %s, which is also the reason that is given", (key, value) => {
    expect(protectionOf({ [key]: value })).toBe(`${key}: ${value}`);
  });
});

describe("a pod is not protected from eviction", () => {
  it.each<[string, string]>([
    [karpenter, "1h"],
    [karpenter, "30m"],
    [karpenter, "0s"],
    [karpenter, "-5h"],
    [karpenter, "soon"],
    [karpenter, "True"],
    [karpenter, "false"],
    [karpenter, ""],
    [autoscaler, "true"],
    [autoscaler, "no"],
    [autoscaler, "2h"],
    [ours, "skip"],
    [ours, "wait"],
    ["karpenter.sh/do-not-evict", "true"],
  ])("by %s: %s", (key, value) => {
    expect(protectionOf({ [key]: value })).toBeUndefined();
  });
});

describe("a protection for a limited time", () => {
  it("protects if it is at least a millisecond long, even where the node's clock is ahead", () => {
    const lasting = (value: string) =>
      tryProtection(
        aPod({ annotations: { [karpenter]: value }, started: ahead(minutes(1)) }),
        [karpenter],
        noon,
      );
    expect([lasting("0s"), lasting("-1ms")]).toEqual([undefined, undefined]);
    expect(lasting("1ms")).toBe(`${karpenter}: 1ms`);
  });

  it.each([
    [{ [karpenter]: "true" }, [karpenter]],
    [{ [karpenter]: "soon" }, [karpenter]],
    [{ [karpenter]: "2h" }, [autoscaler]],
    [{ [autoscaler]: "2h" }, [autoscaler]],
    [{}, [karpenter, autoscaler]],
  ] as const)("is not found in %j where the settings honour %j", (annotations, heeded) => {
    expect(protectionEnds(annotated(annotations), heeded)).toEqual([]);
  });
});

describe("a pod is protected by DRAIN_STOP_ON", () => {
  const bare = aPod({ controller: { kind: "none" } });
  const withData = aPod({ localStorage: true });
  const both = aPod({ ...bare, localStorage: true });
  const noController = "DRAIN_STOP_ON: no controller would create it again";
  const data = "DRAIN_STOP_ON: the data of its emptyDir volumes would be lost";

  it.each<[readonly Stop[], readonly (string | undefined)[]]>([
    [[], [undefined, undefined, undefined]],
    [["bare"], [noController, undefined, noController]],
    [["empty-dir"], [undefined, data, data]],
    [
      ["bare", "empty-dir"],
      [noController, data, noController],
    ],
  ])("%j: one without a controller, one with data, one with both", (stopOn, why) => {
    const scene = { settings: someSettings({ stopOn }), now: noon };
    expect([bare, withData, both].map((pod) => tryProtectionOf(pod, scene))).toEqual(why);
  });
});
