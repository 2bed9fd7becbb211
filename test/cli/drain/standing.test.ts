import { describe, expect, it } from "vitest";
import {
  isUnnoticed,
  type NodeFacts,
  tryRefusalOfFound,
  tryRefusalOfNamed,
  tryUndoRefusal,
  warningsFor,
} from "../../../cli/drain/drain-refusal.ts";
import { groupName } from "../../../lambda/base/ids.ts";
import {
  type Duration,
  instant,
  minutes,
  never,
  seconds,
  timestamp,
} from "../../../lambda/base/time.ts";
import { causeAnnotations } from "../../../lambda/drain/cause.ts";
import { leaseAnnotation } from "../../../lambda/drain/eviction-lease.ts";
import { markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import type { Reason } from "../../../lambda/drain/reason.ts";
import type { Ec2Instance } from "../../../lambda/group/ec2-instance.ts";
import { repairAnnotation } from "../../../lambda/repair/repair-marks.ts";
import { ago, ahead, aNode, noon } from "../../support/builders.ts";

const member = (state: string) => ({ kind: "member", group: groupName("workers"), state }) as const;

const anInstance = (life: Ec2Instance["life"]): Ec2Instance => ({
  names: [],
  platform: "linux",
  profile: "",
  vpc: "",
  launched: instant(0),
  life,
  lifecycle: "on-demand",
});

const standing = (change: Partial<NodeFacts> = {}): NodeFacts => ({
  node: aNode({ annotations: {} }),
  membership: member("InService"),
  ec2Instance: anInstance("there"),
  now: noon,
  ...change,
});

/** A node that somebody has marked for a reason. */
const marked = (reason: Reason, deadline: Duration | "none" = "none") => {
  const until = deadline === "none" ? never : ahead(deadline);
  const cause = Object.entries(causeAnnotations({ reason, deadline: until })).flatMap(
    ([key, value]) => (value === null ? [] : [[key, value]]),
  );
  const at = { [markedAtAnnotation]: timestamp(ago(minutes(1))) };
  return aNode({ annotations: { ...at, ...Object.fromEntries(cause) } });
};

/** A node that a repair has marked, with an annotation more. */
const illWith = (key: string, value: string) => {
  const node = marked("ill", inMinutes);
  return { ...node, annotations: { ...node.annotations, [key]: value } };
};

const leaseFor = (time: Duration) =>
  illWith(leaseAnnotation, `another-process ${timestamp(ahead(time))}`);

const rebootAt = (stage: string, at: Duration) =>
  illWith(repairAnnotation, `${stage} 8f1a ${timestamp(ahead(at))}`);

const tainted = (key: string) =>
  aNode({ annotations: {}, taints: [{ key, value: "", effect: "NoSchedule", timeAdded: "" }] });

const inMinutes = minutes(5);
const over = minutes(-5);

describe("a node that a person wants to drain", () => {
  it.each<[string, Partial<NodeFacts>]>([
    ["is in service", {}],
    ["is in no group", { membership: { kind: "none" } }],
    [
      "is unknown to a person without credentials",
      { membership: "unasked", ec2Instance: "unasked" },
    ],
    ["was drained at a terminal before", { node: marked("requested") }],
    ["has a mark of the function that is over", { node: marked("terminating", over) }],
    [
      "is a candidate of the Cluster Autoscaler",
      { node: tainted("DeletionCandidateOfClusterAutoscaler") },
    ],
  ])("may be drained if it %s", (_, change) => {
    expect(tryRefusalOfFound(standing(change))).toBeUndefined();
  });

  it.each([
    ["has no mark", {}],
    ["has the mark of a peer's drain", { node: marked("terminating") }],
  ])("may be drained if its hook holds it and it %s, for its notice may be lost", (_, change) => {
    const held = { membership: member("Terminating:Wait"), ...change };

    expect(tryRefusalOfNamed(standing(held))).toBeUndefined();
    expect(tryRefusalOfFound(standing(held))).toMatchObject({
      why: expect.stringContaining("Wait"),
    });
    expect(isUnnoticed(standing(held))).toBe(true);
  });

  it.each<[Partial<NodeFacts>, RegExp, RegExp]>([
    [
      { membership: member("Terminating:Wait"), node: marked("terminating", inMinutes) },
      /is Terminating:Wait in group workers, so the function drains it/,
      /status/,
    ],
    [{ membership: member("Terminating") }, /is Terminating/, /status/],
    [{ membership: member("Pending:Wait") }, /is Pending:Wait/, /status/],
    [{ ec2Instance: anInstance("ending") }, /is ending/, /status/],
    [
      { node: marked("terminating"), membership: "unasked" },
      /drains node .* already/,
      /credentials/,
    ],
    [{ node: marked("terminating", inMinutes) }, /a mark of the function: terminating/, /--undo/],
    [{ node: marked("interrupted", inMinutes) }, /already: interrupted, until 2026/, /status/],
    [{ node: marked("at-risk") }, /a mark of the function: at-risk/, /--undo/],
    [{ node: marked("ill", inMinutes) }, /a mark of the function: ill/, /--undo/],
    [{ node: tainted("karpenter.sh/disrupted") }, /Karpenter drains node/, /finish/],
    [{ node: tainted("karpenter.sh/disruption") }, /Karpenter drains node/, /finish/],
    [
      { node: tainted("ToBeDeletedByClusterAutoscaler") },
      /the Cluster Autoscaler drains/,
      /finish/,
    ],
    [{ node: tainted("aws-node-termination-handler/spot-itn") }, /Termination Handler/, /finish/],
    [{ node: tainted("node.kubernetes.io/out-of-service") }, /out-of-service/, /finish/],
  ])("is refused with a reason and a way out: %j", (change, why, remedy) => {
    const refusal = tryRefusalOfFound(standing(change));

    expect(refusal?.why).toMatch(why);
    expect(refusal?.remedy).toMatch(remedy);
  });
});

describe("a node that a person wants to open", () => {
  it.each<[string, Partial<NodeFacts>]>([
    ["was drained at a terminal", { node: marked("requested") }],
    ["is cordoned as one at risk", { node: marked("at-risk") }],
    ["is in service again", { node: marked("terminating", inMinutes) }],
    ["has a mark that is over", { node: marked("stopping", over), membership: "unasked" }],
    ["is ill, and nothing drains it", { node: marked("ill", inMinutes) }],
    ["is ill, and in no group", { node: marked("ill", inMinutes), membership: { kind: "none" } }],
    ["is ill, and its drain stands still", { node: leaseFor(seconds(-1)) }],
    ["is ill, and a lease of its drain lies ahead", { node: leaseFor(minutes(10)) }],
    ["was drained for a reboot that nobody asked for", { node: rebootAt("draining", over) }],
    ["has not started again in time", { node: rebootAt("rebooting", minutes(-11)) }],
  ])("may be opened if it %s", (_, change) => {
    expect(tryUndoRefusal(standing(change))).toBeUndefined();
  });

  it.each<[Partial<NodeFacts>, RegExp]>([
    [{}, /no mark of ours/],
    [{ node: marked("requested"), membership: member("Terminating:Wait") }, /Terminating:Wait/],
    [{ node: marked("requested"), ec2Instance: anInstance("ending") }, /is ending/],
    [{ node: marked("terminating", inMinutes), membership: "unasked" }, /drains node/],
    [{ node: marked("interrupted", inMinutes) }, /interrupted/],
    [{ node: marked("ill", inMinutes), membership: "unasked" }, /drains node .*: ill, until/],
    [{ node: marked("ill", inMinutes), membership: member("Terminating") }, /is Terminating/],
    [{ node: leaseFor(seconds(15)) }, /drains node .* already: ill/],
    [{ node: rebootAt("asking", over) }, /reboot the machine of node .*, which may take until/],
    [{ node: rebootAt("rebooting", over) }, /reboot the machine/],
    // Volumes may still be waited for, while the hook holds the instance.
    [{ node: marked("terminating", over), membership: "unasked" }, /drains node/],
  ])("is refused: %j", (change, why) => {
    expect(tryUndoRefusal(standing(change))?.why).toMatch(why);
  });
});

describe("a node that somebody else manages", () => {
  it.each([
    [{ "karpenter.sh/nodepool": "spot" }, /Karpenter manages it \(spot\)/],
    [{ "karpenter.sh/provisioner-name": "old" }, /Karpenter manages it \(old\)/],
    [{ "eks.amazonaws.com/compute-type": "auto", "karpenter.sh/nodepool": "a" }, /Auto Mode/],
  ])("is drained with a warning: %j", (labels, warning) => {
    expect(warningsFor(aNode({ labels }))).toEqual([expect.stringMatching(warning)]);
  });

  it("is none without their labels", () => {
    expect(warningsFor(aNode())).toEqual([]);
  });
});
