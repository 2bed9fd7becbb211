import { expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { nodes } from "../../sandbox/cluster/kinds/core-resources.ts";
import { nodeReady } from "../../sandbox/cluster/kinds/node.ts";
import { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";
import { joinInstancesAndNodes } from "../../sandbox/instances-and-nodes.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { account, start } from "./aws-account.ts";

it("silences a node when its EC2 instance shuts down, and removes it when the instance has terminated", () => {
  const timeline = new VirtualTimeline(start);
  const aws = new Aws(timeline, account);
  const cluster = new SandboxCluster(timeline);
  const zone = "eu-west-1a";
  for (const [name, id, privateIp] of [
    ["node-a", "i-07e9ea9eb19a67337", "10.0.0.1"],
    ["node-b", "i-0a4c1f92d6b83e570", "10.0.0.2"],
  ] as const) {
    aws.ec2.run({ id, zone, privateIp });
    cluster.addNode({ name, providerID: `aws:///${zone}/${id}` });
  }
  joinInstancesAndNodes({ aws, cluster });
  const ready = () =>
    cluster.store.list(nodes).map((node) => [node.metadata.name, nodeReady(node)]);

  aws.ec2.setState("i-07e9ea9eb19a67337", "shutting-down");
  timeline.pass(seconds(60));
  expect(ready()).toEqual([
    ["node-a", false],
    ["node-b", true],
  ]);

  aws.ec2.setState("i-07e9ea9eb19a67337", "terminated");
  expect(ready()).toEqual([["node-b", true]]);
});
