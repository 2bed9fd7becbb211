import { type Duration, seconds } from "../../lambda/base/time.ts";
import type { Aws } from "../aws/aws.ts";
import { groupDefaults } from "../aws/group.ts";
import { joinNewInstances } from "../instances-and-nodes.ts";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import { rbacManifest } from "../rbac-manifest.ts";
import type { Scenario } from "../scenario.ts";
import { terminateAction } from "./demo-action.ts";
import { awsAuth, demoNode, mappingOf } from "./demo-ng.ts";
import { type DemoInstance, nodeOf, nodeRole } from "./demo-ng-group.ts";
import { isMapped } from "./demo-ng-launch.ts";

const { account, group } = terminateAction;
const namespace = "demo";

/** The names and the role of the upgrade function in the demo. */
export const demoUpgrade = {
  names: {
    stack: "EksNodeLifecycle-demo-upgrades",
    function: "upgrade",
    topic: "demo-upgrades",
    queue: "demo-upgrades",
    deadLetters: "demo-upgrades-dead-letters",
  },
  role: { name: "eks-node-lifecycle-demo-upgrades", path: "/" },
};

/** The nodes of the group before its upgrade: two in each of three zones. */
export const oldInstances: readonly DemoInstance[] = Array.from({ length: 6 }, (_, index) => ({
  id: `i-0${index + 1}a4c1f92d6b83e57`,
  ip: `192.168.${18 + index}.230`,
  zone: `${account.region}${"abc"[index % 3]}`,
}));

/**
 * Six nodes of the first version of a launch template that has two. `events/demo-ng-upgrade.json` asks for the second one.
 * Instances boot and end quicker here than in an account.
 */
export const demoNgUpgrade = (boot: Duration = seconds(2)): Scenario => ({
  account,
  clusterName: demoNode.clusterName,
  rbac: rbacManifest(),
  apiServer: "answers",
  populate(world) {
    populateCluster(world.cluster);
    populateGroup(world.aws);
    joinNewInstances(world, {
      group,
      boot,
      readies: seconds(1),
      letsIn: () => isMapped(world.cluster, account),
    });
  },
});

function populateCluster(cluster: SandboxCluster): void {
  for (const instance of oldInstances)
    cluster.addNode({
      name: nodeOf(instance),
      providerID: `aws:///${instance.zone}/${instance.id}`,
      address: instance.ip,
    });
  const mappings = [
    mappingOf(demoNode.role.name, account),
    mappingOf(demoUpgrade.role.name, account, "eks-node-lifecycle-upgrades"),
  ];
  cluster.addConfigMap(awsAuth(mappings));
  const pods = oldInstances.map((one, index) => ({ name: `web-${index}`, node: nodeOf(one) }));
  cluster.addDeployment({ name: "web", namespace, replicas: pods.length, pods });
  cluster.addStatefulSet({ name: "db", namespace, replicas: 3 });
  for (const name of ["web", "db"]) cluster.addBudget({ name, namespace, maxUnavailable: 1 });
  cluster.addDaemonSet({ name: "kube-proxy", namespace: "kube-system" });
}

function populateGroup({ iam, ec2, autoScaling }: Aws): void {
  const role = iam.createRole({ name: nodeRole, path: "/" });
  const { arn: profileArn } = iam.createInstanceProfile({ name: nodeRole, path: "/" }, [role]);
  const { id: template } = groupDefaults.template;
  autoScaling.createGroup({
    name: group,
    min: 3,
    max: 8,
    desired: oldInstances.length,
    launches: "by-itself",
    zones: [...new Set(oldInstances.map(({ zone }) => zone))],
    shutdown: seconds(1),
    template: { ...groupDefaults.template, profileArn },
  });
  for (const { id, ip, zone } of oldInstances) {
    ec2.run({ id, zone, privateIp: ip, profileArn });
    autoScaling.attach({ id, zone, group });
  }
  const second = { imageId: "ami-00000000000000002", instanceType: undefined, description: "" };
  autoScaling.templates.make(
    { LaunchTemplateId: template },
    { ...second, source: "1", token: "second" },
  );
}
