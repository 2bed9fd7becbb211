import { type Duration, seconds } from "../../lambda/base/time.ts";
import { iamArnOf } from "../../sandbox/aws/account.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import {
  account,
  clusterName,
  group,
  hook,
  instanceOf,
  nodeOf,
  otherGroup,
  role,
  type WorldOptions,
} from "./world-options.ts";

const zone = "eu-west-1a";

/** A world, and the topic that the function's queue subscribes to. */
export interface Settled {
  readonly aws: Aws;
  readonly cluster: SandboxCluster;
  readonly topicArn: string;
}

/** Creates the cluster in EKS with an access entry for the function, the groups with their hooks, and the nodes. */
export function settle(settled: Settled, options: WorldOptions): void {
  const { nodes = 2, tags = {}, heartbeat = seconds(1800), others } = options;
  const { aws, cluster } = settled;
  admitFunction(aws);
  createGroup(settled, { name: group, tags, heartbeat });
  if (others !== undefined)
    createGroup(settled, { name: otherGroup, tags: others.tags, heartbeat });
  for (let index = 1; index <= nodes; index += 1) {
    const id = instanceOf(index);
    aws.ec2.run({ id, zone, privateIp: `10.0.0.${index}` });
    const isOther = others?.nodes.includes(index) === true;
    aws.autoScaling.attach({ id, zone, group: isOther ? otherGroup : group });
    join(cluster, index);
  }
}

interface GroupToCreate {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly heartbeat: Duration;
}

function createGroup({ aws, topicArn }: Settled, { name, tags, heartbeat }: GroupToCreate): void {
  aws.autoScaling.createGroup({
    name,
    zones: [zone],
    max: 100,
    launches: "never",
    tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagated: false })),
  });
  aws.autoScaling.putHook(name, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    defaultResult: "CONTINUE",
    targetArn: topicArn,
    heartbeat,
  });
}

function admitFunction(aws: Aws): void {
  const { entries } = aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint: "https://127.0.0.1",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  entries.create({
    principalArn: iamArnOf(account, `role/${role.name}`),
    type: "STANDARD",
    username: "eks-node-lifecycle",
    groups: ["eks-node-lifecycle"],
    tags: {},
    clientToken: "",
  });
}

/** The kubelet of a numbered instance registers its node. */
export function join(cluster: SandboxCluster, index: number): void {
  const providerID = `aws:///${zone}/${instanceOf(index)}`;
  cluster.addNode({ name: nodeOf(index), providerID });
}
