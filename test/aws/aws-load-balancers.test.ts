import { describe, expect, it } from "vitest";
import { AwsLoadBalancers } from "../../lambda/aws/aws-load-balancers.ts";
import { clientExtension } from "../../lambda/aws/client-extension.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { PoolSpec } from "../../sandbox/aws/pool.ts";
import { account, aServedAccount } from "../support/aws-account.ts";

const id = instanceId("i-07e9ea9eb19a67337");
const vpc = "vpc-0a1b2c3d4e5f60718";

/** Notes for each read of targets how many of them are under way with it. */
const countingIn = (asked: number[]) => {
  let now = 0;
  return clientExtension((own) => async (request, given) => {
    if (!String(request.body).includes("DescribeTargetHealth")) return own.handle(request, given);
    now += 1;
    asked.push(now);
    return own.handle(request, given).finally(() => {
      now -= 1;
    });
  });
};

async function anAccount(...extensions: readonly ReturnType<typeof clientExtension>[]) {
  const served = await aServedAccount();
  const { aws, server, key: credentials, timeline } = served;
  aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.18.230" });
  const { region } = account;
  const options = {
    endpoint: server.url,
    region,
    credentials,
    maxAttempts: 1,
    extensions: [...extensions],
  };
  const balancers = new AwsLoadBalancers(options, timeline);
  const pool = (name: string, spec: Partial<PoolSpec> = {}) => aws.elb.create({ name, ...spec });
  const calls = (action: string) => aws.calls.of(action).length;
  return { ...served, balancers, pool, calls };
}

describe("the load balancers of an instance", () => {
  it("are found over all pages, of both generations", async () => {
    const { balancers, pool } = await anAccount();
    for (let count = 0; count < 401; count += 1) pool(`other-${count}`, { targets: "ip" });
    pool("last").register(id, 30080, "healthy");
    pool("old", { kind: "classic", delay: seconds(0) }).register(id, 0, "healthy");
    expect(await balancers.targetsOf(id, vpc)).toMatchObject([
      { port: 30080, state: "serving", delay: seconds(300), balancer: { name: "last" } },
      { port: 0, state: "serving", delay: 0, balancer: { kind: "classic load balancer" } },
    ]);
  });

  it("are not only those of its VPC where EC2 does not say which that is", async () => {
    const { balancers, pool } = await anAccount();
    pool("elsewhere", { vpc: "vpc-1" }).register(id, 80, "healthy");
    expect(await balancers.targetsOf(id, vpc)).toEqual([]);
    expect(await balancers.targetsOf(id, "")).toHaveLength(1);
  });

  it.each([
    ["initial", "idle"],
    ["unhealthy", "open"],
    ["healthy", "serving"],
    ["draining", "draining"],
  ] as const)("that call it %s find it %s", async (state, meaning) => {
    const { timeline, balancers, pool } = await anAccount();
    const web = pool("web", { answers: () => state !== "unhealthy" });
    web.register(id, 80, state === "initial" ? "initial" : "healthy");
    if (state === "draining") web.deregister(id);
    if (state === "unhealthy") timeline.pass(seconds(20));
    expect(await balancers.targetsOf(id, vpc)).toMatchObject([{ state: meaning }]);
  });

  it("that call it unhealthy find it idle while another target of the group is healthy", async () => {
    const { timeline, balancers, pool } = await anAccount();
    const web = pool("web", { answers: (instance) => instance !== id });
    web.register(id, 80, "healthy");
    web.register("i-00000000000000009", 80, "healthy");
    timeline.pass(seconds(20));
    expect(await balancers.targetsOf(id, vpc)).toMatchObject([{ state: "idle" }]);
  });

  it("are asked once for all drains of some seconds, and again for what they do then", async () => {
    const { timeline, balancers, pool, calls } = await anAccount();
    const web = pool("web", { delay: seconds(10) });
    web.register(id, 80, "healthy");
    const [targets] = await Promise.all([1, 2, 3].map(() => balancers.targetsOf(id, vpc)));
    expect(calls("DescribeTargetHealth")).toBe(1);
    web.deregister(id);
    timeline.pass(seconds(5));
    expect(await balancers.look(targets ?? [])).toMatchObject([{ state: "draining" }]);
    timeline.pass(seconds(5));
    expect(await balancers.look(targets ?? [])).toMatchObject([{ state: "out" }]);
    expect(calls("DescribeTargetHealth")).toBe(3);
    expect(calls("DescribeTargetGroupAttributes")).toBe(1);
  });

  it("are asked eight at a time at first, and then one after the other, because AWS throttles", async () => {
    const asked: number[] = [];
    const { balancers, pool } = await anAccount(countingIn(asked));
    for (let count = 0; count < 60; count += 1) pool(`web-${count}`).register(id, 80, "healthy");
    const heard = new Set<string>();
    const found = await balancers.targetsOf(id, vpc, (some) => {
      for (const { balancer } of some) heard.add(balancer.name);
    });

    expect(found).toHaveLength(60);
    expect(heard).toEqual(new Set(found.map(({ balancer: { name } }) => name)));
    expect(Math.max(...asked)).toBe(8);
    expect(Math.max(...asked.slice(24 + 1))).toBe(1);
  });

  it("have let it go when they are gone themselves", async () => {
    const { aws, timeline, balancers, pool } = await anAccount();
    pool("web").register(id, 80, "healthy");
    pool("old", { kind: "classic" }).register(id, 0, "healthy");
    const targets = await balancers.targetsOf(id, vpc);
    aws.elb.delete("web");
    aws.elb.delete("old");
    timeline.pass(seconds(5));
    expect(await balancers.look(targets)).toMatchObject([{ state: "out" }, { state: "out" }]);
  });

  it("let it go when it is deregistered, with all its ports", async () => {
    const { balancers, pool } = await anAccount();
    const web = pool("web");
    web.register(id, 80, "healthy");
    web.register(id, 443, "healthy");
    const old = pool("old", { kind: "classic" });
    old.register(id, 0, "healthy");
    const targets = await balancers.targetsOf(id, vpc);
    await balancers.deregister(targets);
    expect([...web.targets(), ...old.targets()].map(({ state }) => state)).toEqual([
      "draining",
      "draining",
      "draining",
    ]);
    expect((await balancers.look(targets)).map(({ state }) => state)).toEqual([
      "draining",
      "draining",
      "draining",
    ]);
  });
});
