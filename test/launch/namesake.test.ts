import { describe, expect, it } from "vitest";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import { later, never, seconds } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { LaunchEntry } from "../../lambda/launch/launch-entry.ts";
import { type Former, formerSearch, namesakeIn } from "../../lambda/launch/namesake.flow.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { aNode } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";

const launched = instanceId("i-0000000000000001a");
const other = instanceId("i-0000000000000002b");
const third = instanceId("i-0000000000000003c");
const zone = "eu-west-1a";
const nodeOf = (providerId: string) => aNode({ providerId });
const itsNode = nodeOf(`aws:///${zone}/${other}`);
const viewOf = (...nodes: readonly Node[]) => ({ nodes: () => nodes });

describe("the node that has a name of a launched instance", () => {
  it.each<[string, readonly Node[]]>([
    ["is not there", []],
    ["is its own", [nodeOf(`aws:///${zone}/${launched}`)]],
    ["has no provider ID yet", [nodeOf("")]],
    ["runs elsewhere", [nodeOf(`gce:///${zone}/${other}`)]],
  ])("is no other's where it %s", (_, nodes) => {
    expect(namesakeIn(viewOf(...nodes), launched, undefined)).toBe("none");
  });

  it.each<[string, Former | undefined, Former["isEnded"]]>([
    ["before EC2 is asked", undefined, "unclear"],
    ["once EC2 has told of it", { instance: other, isEnded: "yes" }, "yes"],
    ["once EC2 has told that it runs", { instance: other, isEnded: "no" }, "no"],
    ["where EC2 has told of a third", { instance: third, isEnded: "yes" }, "unclear"],
  ])("is that of another instance, %s", (_, former, isEnded) => {
    const view = viewOf(nodeOf(`aws:///${zone}/${launched}`), itsNode);
    expect(namesakeIn(view, launched, former)).toEqual({ node: itsNode, instance: other, isEnded });
  });
});

/** Asks EC2 about the instance whose node is there. */
async function aSearch(nodes: readonly Node[] = [itsNode]) {
  const { aws, ec2 } = await aServedAccount();
  const entries: LaunchEntry[] = [];
  const removed: InstanceId[] = [];
  const clock = new QuickClock();
  const ports = {
    clock,
    instances: new Ec2Instances(ec2),
    journal: { record: (entry: LaunchEntry) => entries.push(entry) },
    removeLeft: async (instance: InstanceId) => removed.push(instance),
  };
  return { aws, clock, entries, removed, search: formerSearch(viewOf(...nodes), launched, ports) };
}

describe("the search for an instance whose node is in the way", () => {
  it("has the node removed only once that instance has ended", async () => {
    const { aws, removed, search } = await aSearch();
    aws.ec2.run({ id: other, zone, privateIp: "10.0.0.7" });
    expect(await search.work()).toEqual({ instance: other, isEnded: "no" });
    aws.ec2.setState(other, "shutting-down");
    expect(await search.work()).toEqual({ instance: other, isEnded: "no" });
    expect(removed).toEqual([]);
    aws.ec2.setState(other, "terminated");
    expect(await search.work()).toEqual({ instance: other, isEnded: "yes" });
    expect(removed).toEqual([other]);
  });

  it("takes an instance that EC2 does not know for one that has ended", async () => {
    const { removed, search } = await aSearch();
    expect(await search.work()).toEqual({ instance: other, isEnded: "yes" });
    expect(removed).toEqual([other]);
  });

  it("tells the fault where EC2 does not answer, and goes on", async () => {
    const { aws, clock, entries, removed, search } = await aSearch();
    aws.authorize = () => "denied";
    expect(await search.work()).toEqual({ instance: other, isEnded: "unclear" });
    expect(entries).toMatchObject([{ kind: "fault", code: "aws.denied", retryable: true }]);
    expect(removed).toEqual([]);
    expect(search.due()).toBe(later(clock.now(), seconds(15)));
  });

  it("is at rest, and asks nothing, while no node is in the way", async () => {
    const { aws, search } = await aSearch([]);
    expect(search.due()).toBe(never);
    expect(await search.work()).toEqual({ instance: launched, isEnded: "unclear" });
    expect(aws.calls.of("DescribeInstances")).toEqual([]);
  });
});
