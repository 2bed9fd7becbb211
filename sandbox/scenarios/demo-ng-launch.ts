import { later, seconds } from "../../lambda/base/time.ts";
import { type Account, iamArnOf } from "../aws/account.ts";
import { configMaps } from "../kubernetes/core-resources.ts";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import type { Breakage, Scenario, World } from "../scenario.ts";
import { completeHook, type DemoAction, launchAction } from "./demo-action.ts";
import { awsAuth, demoNg, demoNode, mappingOf } from "./demo-ng.ts";
import { type DemoInstance, nodeOf, nodeRole, populateGroup } from "./demo-ng-group.ts";

const bootTime = seconds(3);

/**
 * The demo group launches its first instance, with a role that the cluster does not know. Unless another action is
 * given, `events/demo-ng-launch.json` is the notice. The kubelet can join once the role is mapped.
 */
export function demoNgLaunch(
  broken: Breakage | "nothing" = "nothing",
  action: DemoAction = launchAction,
): Scenario {
  const { account } = action;
  const coming = { id: action.instance, ip: "192.168.51.9", zone: `${account.region}a` };
  return {
    ...demoNg(broken, action),
    populate(world) {
      const roles = broken === "token-refused" ? [] : [demoNode.role.name];
      world.cluster.addConfigMap(awsAuth(roles.map((name) => mappingOf(name, account))));
      populateGroup(world.aws, action, { running: [], moving: coming });
      if (broken !== "no-node") joinOnceMapped(world, coming, account);
      if (broken === "hook-completed") completeHook(world.aws, action);
    },
  };
}

/** Lets the node join once its role is mapped, and become ready a moment later. */
function joinOnceMapped(
  { aws, cluster }: World,
  { id, ip, zone }: DemoInstance,
  account: Account,
): void {
  const { timeline } = aws;
  const name = nodeOf({ id, ip, zone });
  let state: "waits" | "joins" = "waits";
  cluster.store.subscribe(() => {
    if (state === "joins" || !isMapped(cluster, account)) return;
    state = "joins";
    const booted = later(timeline.now(), bootTime);
    const providerID = `aws:///${zone}/${id}`;
    timeline.schedule(booted, () => cluster.addNode({ name, providerID, state: "not-ready" }));
    timeline.schedule(later(booted, seconds(2)), () => cluster.reportNode(name, "ready"));
  });
}

/** Whether `aws-auth` lets the role of the demo group's instances in. */
export function isMapped({ store }: SandboxCluster, account: Account): boolean {
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const { mapRoles = "" } = store.tryGet(ref)?.data ?? {};
  return mapRoles.includes(`rolearn: ${iamArnOf(account, `role/${nodeRole}`)}\n`);
}
