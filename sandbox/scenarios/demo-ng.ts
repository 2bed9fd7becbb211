import type { Breakage } from "../breakage.ts";
import type { SandboxCluster } from "../cluster/sandbox-cluster.ts";
import { rbacManifest } from "../rbac-manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  completeHook,
  groupName,
  nodeRole,
  populateGroup,
  terminateAction,
} from "./demo-ng-group.ts";
import {
  account,
  type DemoInstance,
  farther,
  leaving,
  neighbour,
  nodeOf,
} from "./demo-ng-instances.ts";
import { blockNginx, populateWorkloads } from "./demo-ng-workloads.ts";

/** The names, the role, the cluster and the groups of the node function in the demo. */
export const demoNode = {
  names: {
    function: "node",
    topic: "demo-lifecycle",
    queue: "demo-lifecycle",
    deadLetters: "demo-lifecycle-dead-letters",
  },
  role: { name: "eks-node-lifecycle-demo", path: "/" },
  clusterName: "demo",
  managedGroups: [groupName],
};

/**
 * A group of three nodes. Auto Scaling is about to terminate one of them; `events/demo-ng-terminate.json` is the notice,
 * and has the token of the lifecycle action.
 */
export function demoNg(broken: Breakage | "nothing" = "nothing"): Scenario {
  const joined = broken === "no-node" ? [neighbour, farther] : [leaving, neighbour, farther];
  return {
    account,
    clusterName: demoNode.clusterName,
    rbac: broken === "no-rbac" ? [] : rbacManifest(),
    apiServer: broken === "api-silent" ? "silent" : "answers",
    populate({ aws, cluster }) {
      for (const instance of joined) join(instance, cluster);
      populateWorkloads(cluster, joined);
      cluster.addConfigMap(awsAuth(broken === "token-refused" ? [] : [functionMapping]));
      if (broken === "budget-blocked") blockNginx(cluster);
      populateGroup(aws);
      if (broken === "hook-completed") completeHook(aws, terminateAction);
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

const roleArn = (name: string): string =>
  `arn:${account.partition}:iam::${account.id}:role/${name}`;

const nodeMapping = `- rolearn: ${roleArn(nodeRole)}
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
`;

const functionMapping = `- rolearn: ${roleArn(demoNode.role.name)}
  username: eks-node-lifecycle
  groups:
    - eks-node-lifecycle
`;

const awsAuth = (further: readonly string[]) => ({
  metadata: { name: "aws-auth", namespace: "kube-system" },
  data: { mapRoles: [nodeMapping, ...further].join("") },
});
