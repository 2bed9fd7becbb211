import { readFileSync } from "node:fs";
import {
  CompleteLifecycleActionCommand,
  DeleteLifecycleHookCommand,
  DescribeAutoScalingInstancesCommand,
  PutLifecycleHookCommand,
  RecordLifecycleActionHeartbeatCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { describe, expect, it } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import type { Hook } from "../../sandbox/aws/group.ts";
import { aServedAccount } from "../support/aws-account.ts";

const instance = "i-07e9ea9eb19a67337";
const token = "465e0162-e6af-4786-b4e8-bb544ae58790";
const terminateHook = {
  name: "Terminate-LC-Hook",
  transition: "autoscaling:EC2_INSTANCE_TERMINATING",
  heartbeat: minutes(30),
  defaultResult: "CONTINUE",
} as const;
const launchHook = {
  name: "Launch-LC-Hook",
  transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
  heartbeat: minutes(30),
} as const;
const address = { AutoScalingGroupName: "nodes", LifecycleHookName: "Terminate-LC-Hook" };

async function aGroup(
  hooks: readonly (Pick<Hook, "name" | "transition"> & Partial<Hook>)[] = [terminateHook],
) {
  const account = await aServedAccount();
  const { aws, autoScaling } = account;
  aws.autoScaling.createGroup({
    name: "nodes",
    zones: ["eu-west-1a", "eu-west-1b"],
    tags: [{ key: "cluster", value: "demo", propagated: true }],
  });
  for (const hook of hooks) aws.autoScaling.putHook("nodes", hook);
  const states: string[] = [];
  aws.autoScaling.onChange(({ state }) => states.push(state));
  const join = (id: string, zone = "eu-west-1a") => {
    aws.ec2.run({ id, zone, privateIp: "192.168.18.230" });
    aws.autoScaling.attach({ id, zone, group: "nodes" });
    states.length = 0;
  };
  join(instance);
  const stateOf = async (id: string) => {
    const { AutoScalingInstances: found = [] } = await autoScaling.send(
      new DescribeAutoScalingInstancesCommand({ InstanceIds: [id] }),
    );
    return found[0]?.LifecycleState;
  };
  const complete = (
    LifecycleActionResult = "CONTINUE",
    by: object = { LifecycleActionToken: token },
  ) =>
    autoScaling.send(
      new CompleteLifecycleActionCommand({ ...address, LifecycleActionResult, ...by }),
    );
  const heartbeat = (by: object = { LifecycleActionToken: token }) =>
    autoScaling.send(new RecordLifecycleActionHeartbeatCommand({ ...address, ...by }));
  const terminate = () => aws.autoScaling.terminate(instance, { [terminateHook.name]: token });
  return { ...account, states, join, stateOf, complete, heartbeat, terminate };
}

describe("a terminating instance", () => {
  it("terminates when nobody records a heartbeat in time", async () => {
    const { terminate, stateOf, timeline, aws } = await aGroup();
    terminate();

    timeline.pass(milliseconds(minutes(30) - 1));
    expect(await stateOf(instance)).toBe("Terminating:Wait");

    timeline.pass(milliseconds(1));
    expect(await stateOf(instance)).toBe("Terminating:Proceed");
    expect(aws.autoScaling.actions()[0]?.end).toMatchObject({
      result: "CONTINUE",
      by: "heartbeat-timeout",
    });
  });

  it("is held for another full heartbeat timeout after each heartbeat", async () => {
    const { terminate, stateOf, heartbeat, timeline, aws } = await aGroup();
    terminate();

    timeline.pass(minutes(29));
    await heartbeat();
    timeline.pass(minutes(29));
    await heartbeat({ InstanceId: instance });
    timeline.pass(minutes(29));

    expect(await stateOf(instance)).toBe("Terminating:Wait");
    expect(aws.autoScaling.actions()[0]?.heartbeats).toHaveLength(2);
  });

  it.each([
    ["100 heartbeat timeouts", seconds(30), minutes(50)],
    ["48 hours", minutes(30), hours(48)],
  ])("terminates after %s, however many heartbeats come", async (_, heartbeat, limit) => {
    const { terminate, timeline, aws } = await aGroup([{ ...terminateHook, heartbeat }]);
    terminate();
    const groups = aws.autoScaling;
    const beat = () =>
      groups.heartbeat({
        group: "nodes",
        hook: terminateHook.name,
        by: { kind: "token", value: token },
      });

    const step = milliseconds(heartbeat / 2);
    for (let passed = 0; passed < limit - step; passed += step) {
      timeline.pass(step);
      beat();
    }
    timeline.pass(milliseconds(step - 1));
    expect(groups.actions()[0]?.end).toEqual({ kind: "open" });

    timeline.pass(milliseconds(1));
    expect(groups.actions()[0]?.end).toMatchObject({ result: "CONTINUE", by: "global-timeout" });
    expect(beat).toThrow("No active Lifecycle Action found");
  });

  it("ends if it is still held by its launch hook, which then is nobody's to complete", async () => {
    const { aws, states, timeline } = await aGroup([terminateHook, launchHook]);
    const id = "i-0launched000000000";
    aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.18.231" });
    aws.autoScaling.launch({ id, zone: "eu-west-1a", group: "nodes" });
    aws.autoScaling.terminate(id);

    const by = { kind: "instance", value: id } as const;
    const complete = (hook: string) =>
      aws.autoScaling.complete({ group: "nodes", hook, by }, "CONTINUE");
    expect(() => complete(launchHook.name)).toThrow("No active Lifecycle Action found");
    complete(terminateHook.name);
    timeline.pass(hours(1));

    const end = ["Terminating", "Terminating:Wait", "Terminating:Proceed", "Terminated"];
    expect(new Set(states)).toEqual(new Set(["Pending", "Pending:Wait", ...end]));
    expect(states.slice(-4)).toEqual(end);
  });

  it("has no active action after the action is completed", async () => {
    const { terminate, complete, heartbeat } = await aGroup();
    terminate();
    await complete();

    const gone = {
      name: "ValidationError",
      message: `No active Lifecycle Action found with token ${token}`,
      $metadata: { httpStatusCode: 400 },
    };
    await expect(complete()).rejects.toMatchObject(gone);
    await expect(heartbeat()).rejects.toMatchObject(gone);
    await expect(complete("CONTINUE", { InstanceId: instance })).rejects.toMatchObject({
      name: "ValidationError",
      message: `No active Lifecycle Action found with instance ID ${instance}`,
    });
  });

  it("waits until every hook continues, but for no other hook once one abandons", async () => {
    const other = { ...terminateHook, name: "backup" };
    const first = await aGroup([terminateHook, other]);
    first.terminate();
    await first.complete();
    expect(await first.stateOf(instance)).toBe("Terminating:Wait");

    const second = await aGroup([terminateHook, other]);
    second.terminate();
    await second.complete("ABANDON");
    expect(await second.stateOf(instance)).toBe("Terminating:Proceed");
    expect(second.aws.autoScaling.actions()[1]?.end).toMatchObject({ by: "another-abandoned" });
  });

  it("is retained after an abandon if the group says so, and can then be terminated", async () => {
    const { aws, complete, stateOf, terminate } = await aGroup();
    const { register } = aws.autoScaling;
    register.put({ ...register.findGroup("nodes"), onAbandon: "retain" });
    terminate();

    await complete("ABANDON");
    expect(await stateOf(instance)).toBe("Terminating:Retained");
    expect(aws.ec2.find(instance).state).toBe("running");

    aws.autoScaling.terminate(instance);
    expect(await stateOf(instance)).toBe("Terminating:Wait");
  });

  it("terminates when its hook is deleted", async () => {
    const { autoScaling, stateOf, terminate, aws } = await aGroup();
    terminate();

    await autoScaling.send(new DeleteLifecycleHookCommand(address));

    expect(await stateOf(instance)).toBe("Terminating:Proceed");
    expect(aws.autoScaling.actions()[0]?.end).toMatchObject({
      result: "CONTINUE",
      by: "hook-deleted",
    });
  });
});

describe("a notice", () => {
  it("has the same keys as a real notice", async () => {
    const { aws, autoScaling } = await aGroup([]);
    const topic = aws.sns.createTopic("lifecycle");
    const events: unknown[] = [];
    aws.sns.subscribe(topic, { kind: "function", invoke: (event) => events.push(event) });
    await autoScaling.send(
      new PutLifecycleHookCommand({
        ...address,
        LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        NotificationTargetARN: topic,
        RoleARN: "arn:aws:iam::123456789012:role/publish",
        NotificationMetadata: '{"cluster":"demo"}',
      }),
    );

    aws.autoScaling.terminate(instance, { [terminateHook.name]: token });

    const real = JSON.parse(readFileSync("events/sns-asg-terminate.json", "utf8"));
    const test = JSON.parse(readFileSync("events/sns-asg-test-notification.json", "utf8"));
    expect(shapeOf(events[1])).toEqual(shapeOf(real));
    expect(shapeOf(events[0])).toEqual(shapeOf(test));
    const { Subject: subject, Message: message } = snsOf(events[1]);
    expect(subject).toBe(
      `Auto Scaling:  Lifecycle action 'TERMINATING' for instance ${instance} in progress.`,
    );
    expect(JSON.parse(message)).toMatchObject({
      Origin: "AutoScalingGroup",
      Destination: "EC2",
      AccountId: "123456789012",
      EC2InstanceId: instance,
      LifecycleActionToken: token,
      NotificationMetadata: '{"cluster":"demo"}',
      Time: "2026-03-23T10:00:00.000Z",
    });
    expect(snsOf(events[0]).Subject).toBe('Auto Scaling: test notification for group "nodes"');
  });
});

describe("a launching instance", () => {
  it("is terminated when its hook is abandoned, which is the default result", async () => {
    const { aws, timeline, stateOf } = await aGroup([launchHook]);
    const id = "i-0000000000000000a";
    aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.1.1" });
    aws.autoScaling.launch({ id, group: "nodes", zone: "eu-west-1a" });

    timeline.pass(minutes(30));

    expect(await stateOf(id)).toBe("Terminating:Proceed");
    expect(aws.ec2.find(id).state).toBe("shutting-down");
  });

  it("passes its hook twice where there is a warm pool, and returns to the pool on scale-in", async () => {
    const { aws, states } = await aGroup([launchHook, terminateHook]);
    const { autoScaling } = aws;
    const { register } = autoScaling;
    register.put({
      ...register.findGroup("nodes"),
      warmPool: { kind: "pool", state: "Stopped", onScaleIn: "reuse" },
    });
    const id = "i-0000000000000000a";
    aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.1.1" });
    const queue = aws.sqs.createQueue({ name: "notices" });
    autoScaling.putHook("nodes", { ...launchHook, targetArn: queue.settings.arn });
    autoScaling.putHook("nodes", { ...terminateHook, targetArn: queue.settings.arn });
    const go = (hook: string) =>
      autoScaling.complete(
        { group: "nodes", hook, by: { kind: "instance", value: id } },
        "CONTINUE",
      );
    states.length = 0;

    autoScaling.launch({ id, group: "nodes", zone: "eu-west-1a" }, "launch-into-warm-pool");
    go(launchHook.name);
    expect(aws.ec2.find(id).state).toBe("stopped");
    autoScaling.begin(id, "launch-from-warm-pool");
    expect(aws.ec2.find(id).state).toBe("running");
    go(launchHook.name);
    autoScaling.terminate(id);
    go(terminateHook.name);
    autoScaling.terminate(id);
    go(terminateHook.name);

    expect(states.filter((state) => state.endsWith(":Wait") || !state.includes("Pending"))).toEqual(
      [
        "Warmed:Pending:Wait",
        "Warmed:Stopped",
        "Pending:Wait",
        "InService",
        "Warmed:Pending:Wait",
        "Warmed:Stopped",
        "Warmed:Terminating",
        "Warmed:Terminating:Wait",
        "Warmed:Terminating:Proceed",
      ],
    );
    const ways = queue.contents().flatMap(({ message }) => {
      const notice: { Origin?: string; Destination?: string } = Object(JSON.parse(message.body));
      return notice.Origin === undefined ? [] : [`${notice.Origin} to ${notice.Destination}`];
    });
    expect(ways).toEqual([
      "EC2 to WarmPool",
      "WarmPool to AutoScalingGroup",
      "AutoScalingGroup to WarmPool",
      "WarmPool to EC2",
    ]);
  });
});

describe("a group", () => {
  it("replaces a terminated instance, or shrinks, as the caller says", async () => {
    const { autoScaling, aws, timeline, stateOf } = await aGroup([]);
    const { register } = aws.autoScaling;
    register.put({ ...register.findGroup("nodes"), launches: "by-itself" });
    const terminate = (InstanceId: string, ShouldDecrementDesiredCapacity: boolean) =>
      autoScaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({
          InstanceId,
          ShouldDecrementDesiredCapacity,
        }),
      );

    const { Activity: activity } = await terminate(instance, false);
    expect(activity).toMatchObject({ StatusCode: "InProgress", AutoScalingGroupName: "nodes" });
    timeline.pass(minutes(1));
    const [replacement] = register.instancesOf("nodes");
    expect(await stateOf(replacement?.id ?? "")).toBe("InService");
    expect(aws.ec2.find(replacement?.id ?? "").tags).toEqual({
      "aws:autoscaling:groupName": "nodes",
      cluster: "demo",
    });

    await terminate(replacement?.id ?? "", true);
    timeline.pass(minutes(1));
    expect(register.instancesOf("nodes")).toEqual([]);
    await expect(terminate(instance, true)).rejects.toMatchObject({
      name: "ValidationError",
      message: `Instance Id not found - No managed instance found for instance ID: ${instance}`,
    });
  });

  it("shrinks in its fullest zone, removes the oldest instance first and spares protected ones", async () => {
    const { aws, timeline, join } = await aGroup([]);
    const { register } = aws.autoScaling;
    for (const id of ["i-00000000000000001", "i-00000000000000002", "i-00000000000000003"]) {
      timeline.pass(seconds(1));
      join(id, "eu-west-1b");
    }
    const protectedOne = register.findInstance("i-00000000000000001");
    register.putInstance({ ...protectedOne, protection: "scale-in" });

    aws.autoScaling.setDesired("nodes", 3);
    timeline.pass(minutes(1));

    expect(register.instancesOf("nodes").map(({ id }) => id)).toEqual([
      instance,
      "i-00000000000000001",
      "i-00000000000000003",
    ]);
  });
});

function snsOf(event: unknown): { Subject: string; Message: string } {
  const { Records: records } = event as {
    Records: [{ Sns: { Subject: string; Message: string } }];
  };
  return records[0].Sns;
}

/**
 * Lists every key of an event with the type of its value, including those of the message inside.
 */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, held]) => [key, shapeOf(key === "Message" ? JSON.parse(String(held)) : held)]),
  );
}
