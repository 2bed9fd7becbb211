import {
  DeregisterInstancesFromLoadBalancerCommand,
  DescribeInstanceHealthCommand,
  DescribeLoadBalancersCommand,
} from "@aws-sdk/client-elastic-load-balancing";
import {
  DeregisterTargetsCommand,
  DescribeTargetHealthCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { PoolSpec } from "../../sandbox/aws/pool.ts";
import { aServedAccount } from "../support/aws-account.ts";

const id = "i-07e9ea9eb19a67337";

async function aPool(spec: Partial<PoolSpec> = {}) {
  const account = await aServedAccount();
  account.aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.18.230" });
  const pool = account.aws.elb.create({ name: "web", ...spec });
  const { elb, classicElb } = account;
  const TargetGroupArn = account.aws.elb.targetGroupArn(pool);
  const health = async () => {
    const answer = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
    return answer.TargetHealthDescriptions?.map(
      ({ Target, TargetHealth }) => `${Target?.Port} ${TargetHealth?.State}`,
    );
  };
  const classicHealth = async (InstanceId = id) => {
    const request = { LoadBalancerName: "web", Instances: [{ InstanceId }] };
    const answer = await classicElb.send(new DescribeInstanceHealthCommand(request));
    return answer.InstanceStates?.map(({ State, Description }) => `${State}: ${Description}`);
  };
  return { ...account, pool, TargetGroupArn, health, classicHealth };
}

describe("a target group", () => {
  it("finds a new target healthy after two checks, and unhealthy after two more that fail", async () => {
    let answer = true;
    const { timeline, pool, health } = await aPool({ answers: () => answer });
    pool.register(id, 30080);
    timeline.pass(seconds(19));
    expect(await health()).toEqual(["30080 initial"]);
    timeline.pass(seconds(1));
    expect(await health()).toEqual(["30080 healthy"]);
    answer = false;
    timeline.pass(seconds(10));
    expect(await health()).toEqual(["30080 healthy"]);
    timeline.pass(seconds(10));
    expect(await health()).toEqual(["30080 unhealthy"]);
  });

  it("drains a deregistered port for its delay, and sends it no new request", async () => {
    const { timeline, elb, pool, health, TargetGroupArn } = await aPool({ delay: seconds(60) });
    pool.register(id, 30080, "healthy");
    pool.register(id, 30443, "healthy");
    const Targets = [{ Id: id, Port: 30080 }];
    await elb.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets }));
    expect(await health()).toEqual(["30080 draining", "30443 healthy"]);
    expect([1, 2, 3].map(() => pool.request()?.target.port)).toEqual([30443, 30443, 30443]);
    timeline.pass(seconds(59));
    expect(await health()).toHaveLength(2);
    timeline.pass(seconds(1));
    expect(await health()).toEqual(["30443 healthy"]);
    const asked = new DescribeTargetHealthCommand({ TargetGroupArn, Targets });
    const { TargetHealthDescriptions: states } = await elb.send(asked);
    expect(states?.[0]?.TargetHealth).toEqual({ State: "unused", Reason: "Target.NotRegistered" });
  });

  it("of an Application Load Balancer lets a target go with its last request", async () => {
    const { pool, health } = await aPool({ leaves: "when-idle" });
    pool.register(id, 30080, "healthy");
    const request = pool.request();
    pool.deregister(id);
    expect(await health()).toEqual(["30080 draining"]);
    request?.end();
    expect(await health()).toEqual([]);
  });
});

describe("a classic load balancer", () => {
  it("is listed, and says in words that an instance leaves it", async () => {
    const classic = { kind: "classic", delay: minutes(1) } as const;
    const { timeline, classicElb, pool, classicHealth } = await aPool(classic);
    const { LoadBalancerDescriptions: found } = await classicElb.send(
      new DescribeLoadBalancersCommand({}),
    );
    expect(found).toEqual([expect.objectContaining({ LoadBalancerName: "web" })]);
    pool.register(id, 0, "healthy");
    expect(await classicHealth()).toEqual(["InService: N/A"]);
    const request = { LoadBalancerName: "web", Instances: [{ InstanceId: id }] };
    await classicElb.send(new DeregisterInstancesFromLoadBalancerCommand(request));
    expect(await classicHealth()).toEqual([
      "InService: Instance deregistration currently in progress.",
    ]);
    timeline.pass(minutes(1));
    expect(await classicHealth()).toEqual([
      "OutOfService: Instance is not currently registered with the LoadBalancer.",
    ]);
  });
});
