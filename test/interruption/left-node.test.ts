import { describe, expect, it } from "vitest";
import { later, minutes, seconds } from "../../lambda/base/time.ts";
import type { Ec2Instance, Life } from "../../lambda/group/ec2-instance.ts";
import {
  backInServiceMarking,
  type LeftNode,
  type LeftNodeSettings,
  leftNodeStep,
  outOfServiceAnnotation,
  outOfServiceMarking,
  outOfServiceTaint,
} from "../../lambda/interruption/left-node.ts";
import { aNode, noon } from "../support/builders.ts";

const settings: LeftNodeSettings = {
  removeNode: "stopped",
  lingers: minutes(5),
  outOfService: "never",
};
const dead = { readiness: "unreachable", readinessSince: later(noon, minutes(-5)) } as const;

const anInstance = (life: Life): Ec2Instance => ({
  names: [],
  platform: "linux",
  vpc: "",
  profile: "",
  launched: noon,
  life,
  lifecycle: "on-demand",
});

const aLeftNode = (change: Partial<LeftNode> = {}): LeftNode => ({
  node: aNode(dead),
  ec2Instance: anInstance("terminated"),
  state: "",
  settings,
  now: noon,
  ...change,
});

const gpu = { key: "gpu", value: "yes", effect: "NoSchedule", timeAdded: "" };
const tainted = aNode({
  ...dead,
  annotations: { [outOfServiceAnnotation]: "true" },
  taints: [gpu, outOfServiceTaint],
});

describe("the node of an instance that is gone", () => {
  it.each(["unknown", anInstance("terminated"), anInstance("stopped")] as const)(
    "is removed when EC2 says %j",
    (ec2Instance) => {
      expect(leftNodeStep(aLeftNode({ ec2Instance, state: "InService" })).kind).toBe("remove");
    },
  );

  it.each([
    ["there", "leave"],
    ["ending", "wait"],
    ["hibernated", "leave"],
  ] as const)("is not removed while the instance is %s", (life, kind) => {
    const ec2Instance = anInstance(life);
    expect(leftNodeStep(aLeftNode({ ec2Instance, state: "InService" })).kind).toBe(kind);
  });

  it("is waited for while its group lets the instance go and EC2 still runs it", () => {
    const going = aLeftNode({ ec2Instance: anInstance("there"), state: "Terminating:Proceed" });
    expect(leftNodeStep(going).kind).toBe("wait");
  });

  it("is removed where its kubelet has written a time that is yet to come", () => {
    const step = (ahead: number) =>
      leftNodeStep(
        aLeftNode({ node: aNode({ ...dead, readinessSince: later(noon, seconds(ahead)) }) }),
      ).kind;
    expect(step(61)).toBe("remove");
    expect(step(60)).toBe("wait");
  });

  it("is never removed while it is ready: EC2's answer may be ahead of Kubernetes, or about another", () => {
    const node = aNode({ readiness: "ready", readinessSince: later(noon, minutes(-60)) });
    expect(leftNodeStep(aLeftNode({ node })).kind).toBe("wait");
    expect(leftNodeStep(aLeftNode({ node, ec2Instance: "unknown" })).kind).toBe("leave");
  });

  it.each(["Standby", "EnteringStandby", "Detached", "ReplacingRootVolume", "Pending", ""])(
    "stays when the instance is stopped and %j in its group, for it is to come back",
    (state) => {
      const ec2Instance = anInstance("stopped");
      expect(leftNodeStep(aLeftNode({ ec2Instance, state })).kind).toBe("leave");
    },
  );

  it("stays when the instance is stopped and only terminated ones are cleaned up after", () => {
    const after = aLeftNode({ settings: { ...settings, removeNode: "terminated" } });
    expect(leftNodeStep(after).kind).toBe("remove");
    const stopped = { ec2Instance: anInstance("stopped"), state: "InService" };
    expect(leftNodeStep({ ...after, ...stopped }).kind).toBe("leave");
  });

  it("stays when no nodes are removed", () => {
    const never = { ...settings, removeNode: "never", outOfService: "taint" } as const;
    expect(leftNodeStep(aLeftNode({ settings: never })).kind).toBe("leave");
  });
});

describe("a node that is still ready although its instance has ended", () => {
  const ready = aNode({ readiness: "ready", readinessSince: later(noon, minutes(-60)) });

  it.each([anInstance("terminated"), anInstance("stopped")])("is looked at later: %j", (ended) => {
    const left = aLeftNode({ node: ready, ec2Instance: ended, state: "InService" });
    expect(leftNodeStep(left)).toEqual({ kind: "wait", until: later(noon, minutes(5)) });
    const hurry = { ...left, settings: { ...settings, outOfService: "taint" } as const };
    expect(leftNodeStep(hurry)).toEqual({ kind: "wait", until: later(noon, seconds(20)) });
  });
});

describe("the taint out-of-service", () => {
  const allowed: LeftNodeSettings = { ...settings, outOfService: "taint" };

  it("comes at once, and before the node is removed", () => {
    const now = dead.readinessSince;
    expect(leftNodeStep(aLeftNode({ settings: allowed, now }))).toEqual({ kind: "taint" });
    expect(leftNodeStep(aLeftNode({ settings: allowed, now, node: tainted })).kind).toBe("wait");
    expect(leftNodeStep(aLeftNode({ settings: allowed, node: tainted })).kind).toBe("remove");
  });

  it("goes when the instance is back, or its node ready again", () => {
    const back = { settings: allowed, ec2Instance: anInstance("there"), node: tainted };
    expect(leftNodeStep(aLeftNode(back))).toEqual({ kind: "untaint" });
    const ready = aNode({ ...tainted, readiness: "ready" });
    expect(leftNodeStep(aLeftNode({ settings: allowed, node: ready }))).toEqual({
      kind: "untaint",
    });
  });

  it("stays where somebody else has put it", () => {
    const theirs = aNode({ taints: [outOfServiceTaint], readiness: "ready" });
    expect(leftNodeStep(aLeftNode({ node: theirs })).kind).not.toBe("untaint");
  });

  it("stays where somebody else has put it in other words, although we had said so before", () => {
    const theirs = { ...outOfServiceTaint, value: "by-hand" };
    const node = aNode({ ...tainted, taints: [theirs], readiness: "ready" });
    expect(leftNodeStep(aLeftNode({ settings: allowed, node })).kind).not.toBe("untaint");
    expect(backInServiceMarking(node).taints).toEqual([theirs]);
  });

  it("is written and taken away with its annotation, and no other taint changes", () => {
    const node = aNode({ ...dead, taints: [gpu] });
    expect(outOfServiceMarking(node)).toEqual({
      labels: {},
      annotations: { [outOfServiceAnnotation]: "true" },
      unschedulable: "as it is",
      taints: [gpu, outOfServiceTaint],
    });
    expect(backInServiceMarking(tainted)).toMatchObject({
      annotations: { [outOfServiceAnnotation]: null },
      unschedulable: "as it is",
      taints: [gpu],
    });
  });
});
