import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { instant, later, seconds } from "../../lambda/base/time.ts";
import type { Taint } from "../../lambda/drain/node.ts";
import { type LaunchScene, launchStep } from "../../lambda/launch/launch-step.ts";
import { aNode } from "../builders.ts";

const now = instant(Date.parse("2026-11-20T10:00:00Z"));
const taint = (key: string): Taint => ({ key, value: "", effect: "NoSchedule", timeAdded: "" });
const cilium = "node.cilium.io/agent-not-ready";

const step = (change: Partial<LaunchScene> = {}) =>
  launchStep({
    now,
    deadline: later(now, seconds(1)),
    instance: instanceId("i-0d5e8a1b2c3f40596"),
    node: aNode(),
    unmapped: "",
    startupTaints: [cilium],
    atDeadline: "CONTINUE",
    ...change,
  });

describe("a launch", () => {
  it("is over when the node is ready, even if no mapping of its role is known", () => {
    expect(step({ unmapped: "no instance profile" })).toMatchObject({ kind: "finish" });
  });

  it.each([
    [
      "the node has not registered",
      { node: "absent" },
      "no node of i-0d5e8a1b2c3f40596 has registered",
    ],
    [
      "the role is not mapped",
      { node: "absent", unmapped: "no instance profile" },
      "no node of i-0d5e8a1b2c3f40596 has registered, and its role is not mapped: no instance profile",
    ],
    [
      "the kubelet is not ready",
      { node: aNode({ readiness: "not-ready", readinessMessage: "cni plugin not initialized" }) },
      `node ${aNode().name} is not-ready: cni plugin not initialized`,
    ],
    [
      "the kubelet is silent",
      { node: aNode({ readiness: "unreachable", readinessMessage: "" }) },
      `node ${aNode().name} is unreachable: nothing is said`,
    ],
    [
      "the node has startup taints",
      { node: aNode({ taints: [taint("gpu"), taint(cilium)] }) },
      `node ${aNode().name} still has the taint ${cilium}`,
    ],
  ] as const)("waits, or gives up at the deadline, and says why: %s", (_, change, reason) => {
    expect(step(change)).toEqual({ kind: "wait", reason });
    for (const atDeadline of ["CONTINUE", "ABANDON"] as const)
      expect(step({ ...change, deadline: now, atDeadline })).toEqual({
        kind: "finish",
        outcome: { kind: "not-joined", reason, result: atDeadline },
      });
  });

  it("counts a node that is ready at the last moment as ready", () => {
    expect(step({ deadline: now })).toMatchObject({ outcome: { kind: "joined" } });
  });
});
