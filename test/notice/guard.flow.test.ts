import { describe, expect, it } from "vitest";
import { AutoScalingGroups } from "../../lambda/aws/auto-scaling-groups.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { actionToken, type GroupSelector, instanceId } from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { heldTerminating } from "../../lambda/notice/admission.ts";
import { guard } from "../../lambda/notice/guard.flow.ts";
import type { PassEntry } from "../../lambda/notice/pass-entry.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { anAction } from "../support/builders.ts";

const zone = "eu-west-1a";
const first = instanceId("i-0000000000000001a");
const second = instanceId("i-0000000000000002b");
const third = instanceId("i-0000000000000003c");
const tag = { key: "example.com/cluster", value: "demo" };

/** A group of three instances, two of which a hook holds, and a notice about the first. */
async function aHeldInstance(managed: readonly GroupSelector[] = [anAction().group]) {
  const { aws, autoScaling, ec2, timeline } = await aServedAccount();
  const target = aws.sns.createTopic("notices");
  const { group, hook } = anAction();
  const sizes = { min: 0, max: 3, desired: 3, launches: "never" } as const;
  aws.autoScaling.createGroup({
    name: group,
    zones: [zone],
    tags: [{ ...tag, propagated: false }],
    ...sizes,
  });
  aws.autoScaling.putHook(group, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    defaultResult: "CONTINUE",
    targetArn: target,
    heartbeat: minutes(20),
  });
  for (const id of [first, second, third]) {
    aws.ec2.run({ id, zone, privateIp: "10.0.0.7" });
    aws.autoScaling.attach({ id, zone, group });
  }
  for (const id of [first, second]) aws.autoScaling.terminate(id);
  timeline.pass(seconds(1));
  const entries: PassEntry[] = [];
  const ports = {
    groups: new AutoScalingGroups(autoScaling),
    instances: new Ec2Instances(ec2),
    journal: { record: (entry: PassEntry) => entries.push(entry) },
    clusterKnown: async () => undefined,
  };
  const [action] = aws.autoScaling.actions();
  const token = actionToken(action?.token ?? "");
  const asked = (change = {}) =>
    guard(
      {
        action: anAction({ instance: first, token, ...change }),
        transition: "terminating",
        heldIn: heldTerminating,
        managed,
        hookTargets: [target],
        usualTimeout: minutes(7),
      },
      ports,
    );
  const deny = (...actions: readonly string[]) => {
    aws.authorize = (call) =>
      actions.some((one) => call.action === `autoscaling:${one}`) ? "denied" : "allowed";
  };
  return { asked, deny, entries, aws };
}

const held = {
  kind: "held",
  heartbeatTimeout: minutes(20),
  onTimeout: "CONTINUE",
  heartbeats: "taken",
  peers: [second],
  tags: { [tag.key]: tag.value },
  unread: "none",
  onAbandon: "terminate",
  ec2Instance: expect.any(Promise),
  state: "Terminating:Wait",
};
const heartbeat = { kind: "heartbeat", hook: anAction().hook, instance: first };
const denied = expect.objectContaining({ kind: "fault", code: "aws.denied" });

describe("an instance that a hook holds", () => {
  it("is told with its hook's terms, its group, and the others that are held like it", async () => {
    const { asked, entries } = await aHeldInstance();
    expect(await asked()).toEqual(held);
    expect(entries).toEqual([heartbeat]);
  });

  it("is told with a state that its group has, where its membership is denied", async () => {
    const { asked, deny, entries } = await aHeldInstance();
    deny("DescribeAutoScalingInstances");
    expect(await asked()).toEqual(held);
    expect(entries).toEqual([denied, heartbeat]);
  });

  it("is told with the usual timeout, where the hook's terms are denied", async () => {
    const { asked, deny, entries } = await aHeldInstance();
    deny("DescribeLifecycleHooks");
    expect(await asked()).toEqual({
      ...held,
      heartbeatTimeout: minutes(7),
      onTimeout: "unknown",
    });
    expect(entries).toEqual([denied, heartbeat]);
  });

  it("is held for its timeout only, where heartbeats are denied", async () => {
    const { asked, deny, entries } = await aHeldInstance();
    deny("RecordLifecycleActionHeartbeat");
    expect(await asked()).toEqual({ ...held, heartbeats: "denied" });
    expect(entries).toEqual([denied]);
  });

  it("is held though a heartbeat is throttled, unless only that would prove its membership", async () => {
    const { asked, deny, entries, aws } = await aHeldInstance();
    const target = { service: "autoscaling", action: "RecordLifecycleActionHeartbeat" };
    aws.faults.failNext(target, "throttle", { times: 20 });
    expect(await asked()).toEqual({ ...held, heartbeats: "missed" });
    expect(entries).toMatchObject([{ kind: "fault", code: "aws.unreachable", retryable: true }]);
    deny("DescribeAutoScalingInstances");
    await expect(asked()).rejects.toThrow("aws.unreachable");
  });

  it("is told with the fault of its group, where that is denied", async () => {
    const { asked, deny, entries } = await aHeldInstance();
    deny("DescribeAutoScalingGroups");
    const unread = expect.any(Fault);
    expect(await asked()).toEqual({ ...held, peers: [], tags: {}, unread });
    expect(entries).toEqual([heartbeat]);
  });

  it("of a group that is chosen by a tag is proved by the heartbeat, where the tags are denied", async () => {
    const { asked, deny, entries } = await aHeldInstance([tag]);
    expect(await asked()).toEqual(held);
    deny("DescribeAutoScalingGroups", "DescribeAutoScalingInstances");
    expect(await asked()).toMatchObject({ kind: "held", tags: {}, state: "" });
    deny("DescribeAutoScalingGroups", "RecordLifecycleActionHeartbeat");
    await expect(asked()).rejects.toThrow("aws.denied");
    expect(entries).toEqual([heartbeat, denied, heartbeat, denied]);
  });

  it("is not told by a call that fails otherwise", async () => {
    const { asked, aws } = await aHeldInstance();
    const target = { service: "autoscaling", action: "DescribeAutoScalingInstances" };
    aws.faults.failNext(target, "throttle", { times: 10 });
    await expect(asked()).rejects.toThrow("aws.unreachable");
  });
});

it("an instance is held though EC2 does not describe it, and what asks for the answer meets the fault", async () => {
  const { asked, aws } = await aHeldInstance();
  aws.authorize = ({ action }) => (action === "ec2:DescribeInstances" ? "denied" : "allowed");
  const answer = await asked();
  expect(answer).toEqual(held);
  await new Promise((resume) => setTimeout(resume, 50));
  await expect("ec2Instance" in answer ? answer.ec2Instance : answer).rejects.toThrow("aws.denied");
});

describe("an instance that no hook holds as its notice claims", () => {
  it("has no active action with that token", async () => {
    const { asked, entries } = await aHeldInstance();
    const token = actionToken("465e0162-e6af-4786-b4e8-bb544ae58797");
    expect(await asked({ token })).toEqual({
      kind: "not-held",
      why: "not held",
      reason: `no active lifecycle action of ${first} has the token ${token}`,
      membership: { kind: "member", group: anAction().group, state: "Terminating:Wait" },
    });
    expect(entries).toEqual([]);
  });

  it("is of no known group where its membership is denied", async () => {
    const { asked, deny } = await aHeldInstance();
    deny("DescribeAutoScalingInstances");
    const token = actionToken("465e0162-e6af-4786-b4e8-bb544ae58797");
    expect(await asked({ token })).toMatchObject({
      kind: "not-held",
      membership: { kind: "none" },
    });
  });

  it("is refused before its hook is asked", async () => {
    const { asked, entries } = await aHeldInstance();
    expect(await asked({ instance: third })).toMatchObject({
      kind: "not-held",
      why: "not held",
      reason: `instance ${third} is InService, not Terminating:Wait`,
    });
    expect(entries).toEqual([]);
  });

  it("gets no heartbeat without a token where the hook is that of another deployment", async () => {
    const { asked, aws, entries } = await aHeldInstance();
    const { group, hook } = anAction();
    aws.autoScaling.putHook(group, { name: hook, targetArn: aws.sns.createTopic("others") });
    expect(await asked({ token: "unsaid" })).toMatchObject({
      kind: "not-held",
      reason: expect.stringContaining("not this deployment"),
    });
    expect(aws.calls.of("RecordLifecycleActionHeartbeat")).toEqual([]);
    expect(entries).toEqual([]);
  });
});
