import { nodeFunction } from "../../cli/replay/node-function.ts";
import type { Config } from "../../lambda/config/config.ts";
import type { Notice } from "../../lambda/domain/notice/notice.ts";
import type { Outcome } from "../../lambda/domain/notice/outcome.ts";
import { type Duration, seconds } from "../../lambda/domain/time.ts";
import type { QueueWork } from "../../lambda/flows/queue/queue-work.ts";
import type { LaunchPorts } from "../../lambda/ports/ports.ts";
import { iamArnOf } from "../../sandbox/aws/account.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";
import type { Addresses } from "../../sandbox/deployment-spec.ts";
import { type QueueFunction, usualMapping } from "../../sandbox/queue-function.ts";

/** The account that owns all resources. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** The name of the group that every node belongs to. */
export const group = "workers";

/** The name of that group's terminate hook. */
export const hook = "Terminate-LC-Hook";

/** The instance of a numbered node. */
export const instanceOf = (index: number): string => `i-${String(index).padStart(17, "0")}`;

/** The name of a numbered node. */
export const nodeOf = (index: number): string => `ip-10-0-0-${index}.eu-west-1.compute.internal`;

/** Makes the work that a function does on its notices. */
export type MakesWork = (config: Config, ports: LaunchPorts) => QueueWork<Notice, Outcome>;

/** The options in which a world differs from the default. */
export interface WorldOptions {
  /** @default 2 */
  readonly nodes?: number;
  /** Settings of the function, as its environment has them. @default none */
  readonly settings?: Readonly<Record<string, string>>;
  /** Tags of the group. @default none */
  readonly tags?: Readonly<Record<string, string>>;
  /** How long the hook waits for a heartbeat. @default 1800 s */
  readonly heartbeat?: Duration;
  /** What the function does with a notice. @default all its deployed tasks */
  readonly work?: MakesWork;
  /** Seeds every random number of the function's code. @default 1 */
  readonly seed?: number;
}

const zone = "eu-west-1a";

/** The name of the cluster. */
export const clusterName = "demo";

const names = { function: "node", topic: "notices", queue: "notices", deadLetters: "dead-letters" };
const role = { name: "function", path: "/" };

/** The addresses of the account. The function's clients send nothing over a network. */
export const addresses: Addresses = {
  url: `https://${account.region}.amazonaws.com`,
  queueUrl: (name) => `https://sqs.${account.region}.amazonaws.com/${account.id}/${name}`,
};

/** The node function as the stack deploys it, without its code. */
export const worldFunction = ({ settings }: WorldOptions): Omit<QueueFunction, "code"> => ({
  ...nodeFunction({ names, role, clusterName, managedGroups: [group] }, settings),
  mapping: { ...usualMapping, maximumConcurrency: 10 },
});

/** A world, and the topic that the function's queue subscribes to. */
export interface Settled {
  readonly aws: Aws;
  readonly cluster: SandboxCluster;
  readonly topicArn: string;
}

/** Creates the cluster in EKS with an access entry for the function, the group with its hook, and the nodes. */
export function settle({ aws, cluster, topicArn }: Settled, options: WorldOptions): void {
  const { nodes = 2, tags = {}, heartbeat = seconds(1800) } = options;
  admitFunction(aws);
  aws.autoScaling.createGroup({
    name: group,
    zones: [zone],
    max: 100,
    launches: "never",
    tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagated: false })),
  });
  aws.autoScaling.putHook(group, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    defaultResult: "CONTINUE",
    targetArn: topicArn,
    heartbeat,
  });
  for (let index = 1; index <= nodes; index += 1) {
    const id = instanceOf(index);
    aws.ec2.run({ id, zone, privateIp: `10.0.0.${index}` });
    aws.autoScaling.attach({ id, zone, group });
    join(cluster, index);
  }
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
