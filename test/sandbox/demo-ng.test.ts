import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import type { Breakage } from "../../sandbox/breakage.ts";
import { configMaps, nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import { controllerOf, terminating } from "../../sandbox/kubernetes/kube-object.ts";
import { type Pod, podReady } from "../../sandbox/kubernetes/pod.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { demoNg, demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noticeIn } from "../saved-events.ts";
import { start } from "./aws-account.ts";

const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";

function populated(broken: Breakage | "nothing" = "nothing") {
  const timeline = new VirtualTimeline(start);
  const scenario = demoNg(broken);
  const aws = new Aws(timeline, scenario.account);
  const cluster = new SandboxCluster(timeline);
  scenario.populate({ aws, cluster });
  const podsOn = (node: string) =>
    cluster.store.list(pods).filter(({ spec }) => spec.nodeName === node);
  return { timeline, aws, cluster, podsOn };
}

const names = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.name).sort();
const kindOfController = (pod: Pod) => controllerOf(pod)?.kind;

describe("the demo group", () => {
  it("has the instance of the saved event, held by its hook with its token", () => {
    const { aws } = populated();
    const {
      LifecycleActionToken: token,
      AutoScalingGroupName: group,
      EC2InstanceId: instanceId,
    } = noticeIn("demo-ng-terminate");

    const [action, ...others] = aws.autoScaling.actions();

    expect(others).toEqual([]);
    expect(action).toMatchObject({
      token,
      group,
      instanceId,
      hook: { name: "Terminate-LC-Hook", heartbeat: minutes(30), defaultResult: "CONTINUE" },
      end: { kind: "open" },
    });
    expect(demoNode.managedGroups).toEqual([group]);
    expect(aws.autoScaling.register.findInstance("i-07e9ea9eb19a67337").state).toBe(
      "Terminating:Wait",
    );
    expect(aws.ec2.tryPrivateDnsName("i-07e9ea9eb19a67337")).toBe(leaving);
  });

  it("has three nodes in the three zones of eu-west-1", () => {
    const { cluster } = populated();

    const found = cluster.store.list(nodes);

    expect(
      found.map(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"]).sort(),
    ).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1c"]);
    expect(found.find(({ metadata }) => metadata.name === leaving)?.spec).toEqual({
      providerID: "aws:///eu-west-1a/i-07e9ea9eb19a67337",
    });
    expect(found.filter(({ metadata }) => exclusionLabel in (metadata.labels ?? {}))).toEqual([]);
  });

  it("has the pods of the audit log on the leaving node", () => {
    const { podsOn } = populated();

    expect(names(podsOn(leaving))).toEqual([
      "aws-node-j2c7p",
      "coredns-5947f47f5f-t4f89",
      "kube-proxy-4pjhk",
      "nginx-demo-deployment-7587998bf4-dkd5t",
    ]);
    expect(podsOn(leaving).map(kindOfController).sort()).toEqual([
      "DaemonSet",
      "DaemonSet",
      "ReplicaSet",
      "ReplicaSet",
    ]);
  });

  it("is at rest: nothing starts, moves or ends by itself in the first ten minutes", () => {
    const { timeline, cluster } = populated();
    const all = () =>
      cluster.store
        .list(pods)
        .map((pod) => [pod.metadata.uid, pod.spec.nodeName, podReady(pod), terminating(pod)]);
    const before = all();

    timeline.pass(minutes(10));

    expect(all()).toEqual(before);
    expect(before).toHaveLength(12);
    expect(before.every(([, , ready]) => ready)).toBe(true);
  });

  it("terminates its instance by itself when nobody records a heartbeat", () => {
    const { timeline, aws } = populated();

    timeline.pass(minutes(30));

    expect(aws.autoScaling.actions()[0]?.end).toMatchObject({
      result: "CONTINUE",
      by: "heartbeat-timeout",
    });
  });
});

describe("the demo group, broken", () => {
  it("has no node for an instance that never joined, and its pods run elsewhere", () => {
    const { timeline, cluster, podsOn } = populated("no-node");

    timeline.pass(seconds(30));

    expect(cluster.store.list(nodes)).toHaveLength(2);
    expect(podsOn(leaving)).toEqual([]);
    expect(cluster.store.list(pods).filter(podReady)).toHaveLength(10);
  });

  it("has an action that has ended by the time the hook is completed", () => {
    const { aws } = populated("hook-completed");

    expect(aws.autoScaling.actions()[0]?.end).toMatchObject({ result: "CONTINUE", by: "call" });
  });

  it("maps the function's role unless its token is to be refused", () => {
    const mappingOf = (broken: Breakage | "nothing") => {
      const { cluster } = populated(broken);
      const awsAuth = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
      const { mapRoles } = cluster.store.get(awsAuth).data ?? {};
      return mapRoles;
    };

    expect(mappingOf("nothing")).toContain("role/eks-node-lifecycle-demo");
    expect(mappingOf("token-refused")).not.toContain("role/eks-node-lifecycle-demo");
    expect(mappingOf("token-refused")).toContain("system:node:{{EC2PrivateDNSName}}");
  });
});
