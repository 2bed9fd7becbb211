import { later, minutes, seconds } from "../../lambda/domain/time.ts";
import type { Aws } from "../aws/aws.ts";
import type { Breakage } from "../breakage.ts";
import { configMaps } from "../cluster/core-resources.ts";
import type { SandboxCluster } from "../cluster/sandbox-cluster.ts";
import type { Scenario, World } from "../scenario.ts";
import { demoNg, demoNode } from "./demo-ng.ts";
import { completeHook, groupName, nodeRole } from "./demo-ng-group.ts";
import { account, type DemoInstance, farther, neighbour, nodeOf } from "./demo-ng-instances.ts";

/** The instance that Auto Scaling is about to launch. */
const coming: DemoInstance = { id: "i-0d5e8a1b2c3f40596", ip: "192.168.51.9", zone: "eu-west-1a" };

const hook = "Launch-LC-Hook";
/** The token in the saved event. */
const token = "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28";
const launchAction = { hook, token };
const bootTime = seconds(3);

/**
 * The demo group launches its first instance, with a role that the cluster does not know. `events/demo-ng-launch.json`
 * is the notice of the launch. The kubelet can join once the role is mapped.
 */
export function demoNgLaunch(broken: Breakage | "nothing" = "nothing"): Scenario {
  const usual = demoNg(broken);
  return {
    ...usual,
    populate(world) {
      world.cluster.addConfigMap({
        metadata: { name: "aws-auth", namespace: "kube-system" },
        data: { mapRoles: broken === "token-refused" ? "" : mappingOf(demoNode.role.name) },
      });
      launch(world.aws);
      if (broken !== "no-node") joinOnceMapped(world);
      if (broken === "hook-completed") completeHook(world.aws, launchAction);
    },
  };
}

const mappingOf = (role: string): string => `- rolearn: ${arnOf(role)}
  username: eks-node-lifecycle
  groups:
    - eks-node-lifecycle
`;

const arnOf = (role: string): string => `arn:${account.partition}:iam::${account.id}:role/${role}`;

function launch({ iam, ec2, autoScaling }: Aws): void {
  const role = iam.createRole({ name: nodeRole, path: "/" });
  const profile = iam.createInstanceProfile({ name: nodeRole, path: "/" }, [role]);
  const zones = [coming, neighbour, farther].map(({ zone }) => zone);
  autoScaling.createGroup({ name: groupName, zones });
  autoScaling.putHook(groupName, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    defaultResult: "ABANDON",
  });
  const { id, ip, zone } = coming;
  ec2.run({ id, zone, privateIp: ip, profileArn: profile.arn });
  autoScaling.launch({ id, zone, group: groupName }, "launch", { [hook]: token });
}

/** Lets the node join once its role is mapped, and become ready a moment later. */
function joinOnceMapped({ aws, cluster }: World): void {
  const { timeline } = aws;
  const name = nodeOf(coming);
  let state: "waits" | "joins" = "waits";
  cluster.store.subscribe(() => {
    if (state === "joins" || !isMapped(cluster)) return;
    state = "joins";
    const booted = later(timeline.now(), bootTime);
    const providerID = `aws:///${coming.zone}/${coming.id}`;
    timeline.schedule(booted, () => cluster.addNode({ name, providerID, state: "not-ready" }));
    timeline.schedule(later(booted, seconds(2)), () => cluster.reportNode(name, "ready"));
  });
}

function isMapped({ store }: SandboxCluster): boolean {
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const { mapRoles = "" } = store.tryGet(ref)?.data ?? {};
  return mapRoles.includes(`rolearn: ${arnOf(nodeRole)}\n`);
}
