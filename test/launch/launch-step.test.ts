import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { Taint } from "../../lambda/drain/node.ts";
import { type LaunchScene, launchStep, type Namesake } from "../../lambda/launch/launch-step.ts";
import { aNode } from "../support/builders.ts";

const now = instant(Date.parse("2026-11-20T10:00:00Z"));
const taint = (key: string): Taint => ({ key, value: "", effect: "NoSchedule", timeAdded: "" });
const cilium = "node.cilium.io/agent-not-ready";

const step = (change: Partial<LaunchScene> = {}) =>
  launchStep({
    now,
    deadline: later(now, seconds(1)),
    instance: instanceId("i-0d5e8a1b2c3f40596"),
    launched: later(now, minutes(-10)),
    node: aNode(),
    namesake: "none",
    unregistered: "",
    startupTaints: [cilium],
    atDeadline: "CONTINUE",
    ...change,
  });

describe("a launch", () => {
  it("is over when the node is ready, whoever has registered its role", () => {
    expect(step({ unregistered: "no instance profile" })).toMatchObject({ kind: "finish" });
  });

  it.each([
    [
      "the node has not registered",
      { node: "absent" },
      "no node of i-0d5e8a1b2c3f40596 has registered",
    ],
    [
      "the role is not registered",
      { node: "absent", unregistered: "no instance profile" },
      "no node of i-0d5e8a1b2c3f40596 has registered, and its role is not registered: no instance profile",
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
    [
      "the node has taints with the beginning of a startup taint",
      {
        node: aNode({ taints: ["a.io/", "a.io/b", "a.io", "b.a.io/c"].map(taint) }),
        startupTaints: [cilium, "a.io/*"],
      },
      `node ${aNode().name} still has the taint a.io/, a.io/b`,
    ],
  ] as const)("waits, or gives up at the deadline, and says why: %s", (_, change, reason) => {
    expect(step(change)).toEqual({ kind: "wait", reason });
    for (const atDeadline of ["CONTINUE", "ABANDON"] as const)
      expect(step({ ...change, deadline: now, atDeadline })).toEqual({
        kind: "finish",
        outcome: { kind: "not-joined", reason, result: atDeadline },
      });
  });

  it("takes a key without an asterisk as a whole, and one with it as no other text", () => {
    const node = aNode({ taints: ["a.io/bc", "a.ioxb", "*"].map(taint) });
    expect(step({ node, startupTaints: ["a.io/b", "a.io/b.*", "a.io/*c"] })).toMatchObject({
      outcome: { kind: "joined" },
    });
  });

  it("counts a node that is ready at the last moment as ready", () => {
    expect(step({ deadline: now })).toMatchObject({ outcome: { kind: "joined" } });
  });

  const other = instanceId("i-07e9ea9eb19a67337");
  const namesake: Namesake = {
    node: aNode({ unschedulable: true, providerId: `aws:///eu-west-1a/${other}` }),
    instance: other,
    isEnded: "yes",
  };
  const taken: Partial<LaunchScene> = {
    node: "absent",
    namesake,
    deadline: later(now, minutes(9)),
  };

  it("is over when a kubelet goes on reporting to the node of an instance that has ended, and names both", () => {
    expect(step({ ...taken, atDeadline: "ABANDON" })).toEqual({
      kind: "finish",
      outcome: {
        kind: "not-joined",
        result: "ABANDON",
        reason: `node ${aNode().name}, a name of i-0d5e8a1b2c3f40596, is ready and cordoned and by its provider ID that of ${other}, which has ended`,
      },
    });
  });

  it("is over from the moment at which Kubernetes has noticed that the kubelet of the other instance is silent", () => {
    expect(step({ ...taken, launched: later(now, minutes(-2)) })).toMatchObject({ kind: "finish" });
    expect(step({ ...taken, launched: later(now, seconds(-119)) })).toMatchObject({ kind: "wait" });
  });

  it("does not say that the other instance has ended before EC2 does", () => {
    expect(step({ ...taken, namesake: { ...namesake, isEnded: "no" } })).toMatchObject({
      reason: expect.stringMatching(
        `is ready and cordoned and by its provider ID that of ${other}$`,
      ),
    });
  });

  it.each<[string, Partial<LaunchScene>]>([
    ["EC2 was not asked yet", { namesake: { ...namesake, isEnded: "unclear" } }],
    ["the other instance runs", { namesake: { ...namesake, isEnded: "no" } }],
    [
      "no kubelet reports",
      { namesake: { ...namesake, node: aNode({ readiness: "unreachable" }) } },
    ],
    [
      "the kubelet that reports is not ready yet",
      { namesake: { ...namesake, node: aNode({ readiness: "not-ready" }) } },
    ],
    ["the name is its own since a moment ago", { launched: later(now, minutes(-1)) }],
    ["EC2 does not say since when the name is its own", { launched: "unknown" }],
  ])("waits behind the node of another instance while %s", (_, change) => {
    expect(step({ ...taken, ...change })).toMatchObject({
      kind: "wait",
      reason: expect.stringContaining(`by its provider ID that of ${other}`),
    });
  });

  it("waits for its own node, though one that has its name is ready and of an instance that has ended", () => {
    const node = aNode({ readiness: "not-ready", readinessMessage: "no network" });
    const reason = `node ${node.name} is not-ready: no network`;
    expect(step({ ...taken, node })).toEqual({ kind: "wait", reason });
  });

  it("is well over when its own node is ready beside that of another instance", () => {
    expect(step({ ...taken, node: aNode() })).toMatchObject({ outcome: { kind: "joined" } });
  });
});
