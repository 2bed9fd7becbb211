import { type Account, iamArnOf } from "../aws/account.ts";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import { rbacManifest } from "../rbac-manifest.ts";
import type { Breakage, Scenario } from "../scenario.ts";
import { completeHook, type DemoAction, terminateAction } from "./demo-action.ts";
import {
  type DemoInstance,
  instancesIn,
  nodeOf,
  nodeRole,
  populateGroup,
} from "./demo-ng-group.ts";
import { blockNginx, populateWorkloads } from "./demo-ng-workloads.ts";

/** The names, the role, the cluster and the groups of the node function in the demo. */
export const demoNode = {
  names: {
    stack: "EksNodeLifecycle-demo",
    function: "node",
    topic: "demo-lifecycle",
    queue: "demo-lifecycle",
    deadLetters: "demo-lifecycle-dead-letters",
  },
  role: { name: "eks-node-lifecycle-demo", path: "/" },
  clusterName: "demo",
  managedGroups: [terminateAction.group],
};

/**
 * A group of three nodes. Auto Scaling is about to terminate one of them; unless another action is given,
 * `events/demo-ng-terminate.json` is the notice, and has the token of the lifecycle action.
 */
export function demoNg(
  broken: Breakage | "nothing" = "nothing",
  action: DemoAction = terminateAction,
): Scenario {
  const { account } = action;
  const instances = instancesIn(account.region, action.instance);
  const { leaving, neighbour, farther } = instances;
  const joined = (["leaving", "neighbour", "farther"] as const).filter(
    (place) => place !== "leaving" || broken !== "no-node",
  );
  return {
    account,
    clusterName: demoNode.clusterName,
    rbac: broken === "no-rbac" ? [] : rbacManifest(),
    apiServer: broken === "api-silent" ? "silent" : "answers",
    populate({ aws, cluster }) {
      for (const place of joined) join(instances[place], cluster);
      populateWorkloads(cluster, instances, joined);
      const roles = broken === "token-refused" ? [] : [demoNode.role.name];
      const mappings = [nodeMapping(account), ...roles.map((name) => mappingOf(name, account))];
      cluster.addConfigMap(awsAuth(mappings));
      if (broken === "budget-blocked") blockNginx(cluster);
      populateGroup(aws, action, { running: [neighbour, farther], moving: leaving });
      if (broken === "hook-completed") completeHook(aws, action);
    },
  };
}

const join = (instance: DemoInstance, cluster: SandboxCluster): void => {
  cluster.addNode({
    name: nodeOf(instance),
    providerID: `aws:///${instance.zone}/${instance.id}`,
    labels: { "node.kubernetes.io/instance-type": "m6i.large" },
  });
};

const nodeMapping = (
  account: Account,
): string => `- rolearn: ${iamArnOf(account, `role/${nodeRole}`)}
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
`;

/** The entry of `aws-auth` that lets a function's role in. */
export const mappingOf = (role: string, account: Account, group = "eks-node-lifecycle"): string =>
  `- rolearn: ${iamArnOf(account, `role/${role}`)}
  username: ${group}
  groups:
    - ${group}
`;

/** The ConfigMap `aws-auth` with these entries. */
export const awsAuth = (mappings: readonly string[]) => ({
  metadata: { name: "aws-auth", namespace: "kube-system" },
  data: { mapRoles: mappings.join("") },
});
