import { RebootInstancesCommand } from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { minutes } from "../../../lambda/base/time.ts";
import type { PrincipalRequest } from "../../../sandbox/aws/aws.ts";
import { joinInstancesAndNodes } from "../../../sandbox/instances-and-nodes.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { nodeReady } from "../../../sandbox/kubernetes/node.ts";
import { SandboxCluster } from "../../../sandbox/kubernetes/sandbox-cluster.ts";
import { aServedAccount } from "../../support/aws-account.ts";

const id = "i-07e9ea9eb19a67337";
const zone = "eu-west-1a";

async function aMachine() {
  const account = await aServedAccount();
  const { aws, timeline, ec2 } = account;
  const cluster = new SandboxCluster(timeline);
  aws.ec2.run({ id, zone, privateIp: "10.0.0.1", tags: { team: "ours" } });
  cluster.addNode({ name: "node-a", providerID: `aws:///${zone}/${id}` });
  joinInstancesAndNodes({ aws, cluster });
  const look = () => {
    const { status, ...node } = cluster.store.get({ resource: nodes, name: "node-a" });
    return { boot: status.nodeInfo?.bootID, ready: nodeReady({ ...node, status }) };
  };
  const reboot = (...InstanceIds: string[]) =>
    ec2.send(new RebootInstancesCommand({ InstanceIds }));
  return { ...account, cluster, look, reboot };
}

describe("a machine that is rebooted", () => {
  it("does not come back where it is terminated meanwhile, and a terminated one does not mind", async () => {
    const { aws, timeline, look, reboot } = await aMachine();
    await reboot(id);

    aws.ec2.setState(id, "shutting-down");
    timeline.pass(minutes(2));
    expect(look().ready).toBe(false);

    aws.ec2.setState(id, "terminated");
    await expect(reboot(id)).resolves.toBeDefined();
  });

  it("is asked for by its resource and tags, and must be there", async () => {
    const { aws, reboot } = await aMachine();
    const asked: Omit<PrincipalRequest, "principal">[] = [];
    aws.authorize = ({ principal: _, ...request }) => {
      asked.push(request);
      return "allowed";
    };

    await reboot(id);
    await expect(reboot("i-0fedcba9876543210")).rejects.toMatchObject({
      name: "InvalidInstanceID.NotFound",
    });

    expect(asked[0]).toEqual({
      action: "ec2:RebootInstances",
      resource: `arn:aws:ec2:eu-west-1:123456789012:instance/${id}`,
      context: { "ec2:ResourceTag/team": "ours", "aws:ResourceTag/team": "ours" },
    });
  });
});

describe("a condition that an agent sets", () => {
  it("stays as it is while the kubelet is silent, and keeps its time while its status is the same", async () => {
    const { cluster, timeline } = await aMachine();
    const set = (status: "False" | "True", reason: string) =>
      cluster.setCondition("node-a", { type: "KernelReady", status, reason, message: "" });
    const found = () =>
      cluster.store
        .get({ resource: nodes, name: "node-a" })
        .status.conditions?.find(({ type }) => type === "KernelReady");

    set("True", "KernelIsReady");
    timeline.pass(minutes(1));
    set("False", "ForkFailedOutOfPIDs");
    const since = found()?.lastTransitionTime;
    timeline.pass(minutes(1));
    set("False", "SoftLockup");
    cluster.stopKubelet("node-a");
    timeline.pass(minutes(2));

    expect(found()).toMatchObject({
      status: "False",
      reason: "SoftLockup",
      lastTransitionTime: since,
    });
    expect(since).toBe("2026-03-23T10:01:00Z");
  });
});
