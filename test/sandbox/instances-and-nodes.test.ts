import { expect, it } from "vitest";
import { later, seconds } from "../../lambda/base/time.ts";
import { groupDefaults } from "../../sandbox/aws/auto-scaling/group.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { joinInstancesAndNodes, joinNewInstances } from "../../sandbox/instances-and-nodes.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { type Node, nodeReady } from "../../sandbox/kubernetes/node.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
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

it("lets the instances that a group launches join with the kubelet of their image, once they are let in", () => {
  const timeline = new VirtualTimeline(start);
  const aws = new Aws(timeline, account);
  const cluster = new SandboxCluster(timeline);
  aws.images.add({ id: "ami-0fedcba9876543210", kubelet: "v1.35.4" });
  const template = { ...groupDefaults.template, imageId: "ami-0fedcba9876543210" };
  const usual = { zones: ["eu-west-1a", "eu-west-1b"], desired: 2, launches: "by-itself" } as const;
  const [boot, readies] = [seconds(30), seconds(5)];
  const letsIn = () => timeline.now() >= later(start, seconds(35));
  joinNewInstances({ aws, cluster }, { group: "workers", boot, readies, letsIn });
  aws.autoScaling.createGroup({ name: "workers", template, ...usual });
  const joined = () =>
    cluster.store.list(nodes).map(({ metadata: { labels = {} }, status, ...node }) => ({
      zone: labels["topology.kubernetes.io/zone"],
      kubelet: Object(Object(status).nodeInfo).kubeletVersion,
      ready: nodeReady({ ...node, status } as Node),
    }));

  timeline.pass(seconds(39));
  expect(joined()).toEqual([]);

  timeline.pass(seconds(2));
  const [kubelet, ready] = ["v1.35.4", false];
  const both = ["eu-west-1a", "eu-west-1b"].map((zone) => ({ zone, kubelet, ready }));
  expect(joined()).toEqual(both);

  timeline.pass(seconds(5));
  expect(joined()).toEqual(both.map((node) => ({ ...node, ready: true })));
});
