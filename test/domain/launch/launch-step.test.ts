import { describe, expect, it } from "vitest";
import { instanceId } from "../../../lambda/domain/ids.ts";
import { type LaunchScene, launchStep } from "../../../lambda/domain/launch/launch-step.ts";
import type { Taint } from "../../../lambda/domain/node/node.ts";
import { instant, later, seconds } from "../../../lambda/domain/time.ts";
import { aNode } from "../../builders.ts";

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
  it("is over when the node is ready, whatever other taints it bears", () => {
    const node = aNode({ taints: [taint("gpu")] });

    expect(step({ node })).toEqual({
      kind: "finish",
      outcome: { kind: "joined", node: node.name },
    });
  });

  it("does not ask how the role came in, if only the node is ready", () => {
    expect(step({ unmapped: "no instance profile" })).toMatchObject({ kind: "finish" });
  });

  it.each([
    ["never registered", { node: "absent" }, "no node of i-0d5e8a1b2c3f40596 has registered"],
    [
      "role not mapped",
      { node: "absent", unmapped: "no instance profile" },
      "no node of i-0d5e8a1b2c3f40596 has registered, and its role is not mapped: no instance profile",
    ],
    [
      "kubelet not ready",
      { node: aNode({ readiness: "not-ready", readinessMessage: "cni plugin not initialized" }) },
      `node ${aNode().name} is not-ready: cni plugin not initialized`,
    ],
    [
      "kubelet silent",
      { node: aNode({ readiness: "unreachable", readinessMessage: "" }) },
      `node ${aNode().name} is unreachable: nothing is said`,
    ],
    [
      "startup taints",
      { node: aNode({ taints: [taint("gpu"), taint(cilium)] }) },
      `node ${aNode().name} still has the taint ${cilium}`,
    ],
  ] as const)("waits, and says for what: %s", (_, change, reason) => {
    expect(step(change)).toEqual({ kind: "wait", reason });
    for (const atDeadline of ["CONTINUE", "ABANDON"] as const)
      expect(step({ ...change, deadline: now, atDeadline })).toEqual({
        kind: "finish",
        outcome: { kind: "not-joined", reason, result: atDeadline },
      });
  });

  it("takes a node that is ready at the last moment for ready", () => {
    expect(step({ deadline: now })).toMatchObject({ outcome: { kind: "joined" } });
  });
});
