import { describe, expect, it } from "vitest";
import { clientExtension } from "../../lambda/aws/client-extension.ts";
import { ElbTargetGroups } from "../../lambda/aws/elb-target-groups.ts";
import { between, type Duration, milliseconds, seconds } from "../../lambda/base/time.ts";
import type { PoolSpec } from "../../sandbox/aws/pool.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import { account, aServedAccount } from "../support/aws-account.ts";

const id = "i-07e9ea9eb19a67337";
const other = "i-00000000000000009";
const vpc = "vpc-0a1b2c3d4e5f60718";

/** Lets each read of targets take some time. */
const slowly = (timeline: VirtualTimeline, time: Duration) =>
  clientExtension((own) => async (request, given) => {
    if (String(request.body).includes("DescribeTargetHealth")) timeline.pass(time);
    return own.handle(request, given);
  });

async function anAccount(time = seconds(0)) {
  const { aws, server, key: credentials, timeline } = await aServedAccount();
  const { region } = account;
  const extensions = [slowly(timeline, time)];
  const options = { endpoint: server.url, region, credentials, maxAttempts: 1, extensions };
  const groups = new ElbTargetGroups(options, timeline);
  const pool = (name: string, spec: Partial<PoolSpec> = {}) => aws.elb.create({ name, ...spec });
  const calls = (action: string) => aws.calls.of(action).length;
  return { aws, timeline, groups, pool, calls };
}

describe("the target groups that have a target", () => {
  it("are found over all pages with all their targets, and without those that nobody uses", async () => {
    const { groups, pool } = await anAccount();
    for (let count = 0; count < 401; count += 1) pool(`unused-${count}`, { use: "unused" });
    const web = pool("web");
    web.register(id, 80, "healthy");
    web.register(other, 80);
    pool("pods", { targets: "ip" }).register("10.0.0.1", 80);
    pool("elsewhere", { vpc: "vpc-1" }).register(id, 80);

    expect(await groups.kinds(vpc)).toEqual(new Set(["instance", "ip"]));
    expect(await groups.having(new Set([id]), "instance", vpc)).toEqual({
      groups: [
        {
          id: expect.stringMatching(/^[\da-f]{8}$/),
          name: "web",
          kind: "instance",
          targets: [
            { id, state: "serving" },
            { id: other, state: "initial" },
          ],
        },
      ],
      unread: 0,
    });
    const ofPods = await groups.having(new Set(["10.0.0.1"]), "ip", vpc);
    expect(ofPods.groups).toMatchObject([{ name: "pods" }]);
    const all = await groups.having(new Set([id]), "instance", "");
    expect(new Set(all.groups.map((group) => group.id)).size).toBe(2);
  });

  it("are read anew at each look, and others before a new target of theirs can serve", async () => {
    const { groups, pool, calls, timeline } = await anAccount();
    const web = pool("web");
    web.register(id, 80);
    const far = pool("far");
    far.register(other, 80);
    const look = async () => (await groups.having(new Set([id]), "instance", vpc)).groups;
    await look();
    timeline.pass(seconds(20));
    expect(await look()).toMatchObject([{ targets: [{ state: "serving" }] }]);
    expect(calls("DescribeTargetHealth")).toBe(4);
    await look();
    expect(calls("DescribeTargetHealth")).toBe(5);
    expect(calls("DescribeTargetGroups")).toBe(1);

    far.register(id, 80);
    expect(await look()).toHaveLength(1);
    timeline.pass(seconds(5));
    expect(await look()).toHaveLength(2);
  });

  it("are those that AWS has answered about in twenty seconds, and the next look goes on with the others", async () => {
    const { groups, pool, calls, timeline } = await anAccount(milliseconds(100));
    for (let count = 0; count < 500; count += 1) pool(`web-${count}`).register(id, 80, "healthy");
    const look = async () => {
      const begun = timeline.now();
      const { groups: found, unread } = await groups.having(new Set([id]), "instance", vpc);
      expect(between(begun, timeline.now())).toBeLessThanOrEqual(seconds(20));
      return [found.length, unread];
    };
    expect(await look()).toEqual([200, 300]);
    expect(await look()).toEqual([400, 100]);
    expect(await look()).toEqual([500, 0]);
    expect(calls("DescribeTargetHealth")).toBe(600);
    expect(await look()).toEqual([500, 0]);
  });

  it("are asked one after the other, by several who ask together too", async () => {
    const { groups, pool, calls } = await anAccount(milliseconds(100));
    for (let count = 0; count < 30; count += 1) pool(`far-${count}`).register(other, 80);
    const asked = [1, 2, 3].map(() => groups.having(new Set([id]), "instance", vpc));
    expect(await Promise.all(asked)).toEqual(Array(3).fill({ groups: [], unread: 0 }));
    expect(calls("DescribeTargetHealth")).toBe(30);
  });

  it("are none where one was deleted meanwhile", async () => {
    const { aws, groups, pool } = await anAccount();
    pool("web").register(id, 80);
    await groups.kinds(vpc);
    aws.elb.delete("web");
    expect(await groups.having(new Set([id]), "instance", vpc)).toEqual({ groups: [], unread: 0 });
  });
});
