import { type Config, parseConfig } from "../../lambda/config/config.ts";
import { type Duration, seconds } from "../../lambda/domain/time.ts";
import type { Credentials } from "../../sandbox/aws/access-keys.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";

/** The account that everything is in. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** The name of the group that every node belongs to. */
export const group = "workers";

/** The name of that group's terminate hook. */
export const hook = "Terminate-LC-Hook";

/** The instance of a numbered node. */
export const instanceOf = (index: number): string => `i-${String(index).padStart(17, "0")}`;

/** The name of a numbered node. */
export const nodeOf = (index: number): string => `ip-10-0-0-${index}.eu-west-1.compute.internal`;

/** How a world differs from the usual one. */
export interface WorldOptions {
  /** @default 2 */
  readonly nodes?: number;
  /** Of the function, as its environment has them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the group. */
  readonly tags?: Readonly<Record<string, string>>;
  /** How long the hook waits for a heartbeat. @default 1800 s */
  readonly heartbeat?: Duration;
}

const zone = "eu-west-1a";

/** The name of the cluster. */
export const clusterName = "demo";

/** How long a message that was received stays unseen: as long as an invocation may take. */
export const visibility = seconds(120);

const queueUrl = (name: string): string =>
  `https://sqs.${account.region}.amazonaws.com/${account.id}/${name}`;

/** The function's configuration, parsed as on a cold start. */
export const configOf = ({ settings = {} }: WorldOptions): Config =>
  parseConfig({
    AWS_REGION: account.region,
    CLUSTER_NAME: clusterName,
    MANAGED_GROUPS: JSON.stringify([group]),
    QUEUE_URL: queueUrl("notices"),
    DEAD_LETTER_QUEUE_URL: queueUrl("dead-letters"),
    ...settings,
  });

/**
 * Creates the cluster's record, the group with its hook, and the queues, and lets the nodes join.
 *
 * It gives back what the function signs with, whom the cluster knows.
 */
export function settle(aws: Aws, cluster: SandboxCluster, options: WorldOptions): Credentials {
  const { nodes = 2, tags = {}, heartbeat = seconds(1800) } = options;
  const credentials = deployFor(aws);
  aws.autoScaling.createGroup({
    name: group,
    zones: [zone],
    max: 100,
    launches: "never",
    tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagated: false })),
  });
  hookUp(aws, heartbeat);
  for (let index = 1; index <= nodes; index += 1) {
    const id = instanceOf(index);
    aws.ec2.run({ id, zone, privateIp: `10.0.0.${index}` });
    aws.autoScaling.attach({ id, zone, group });
    join(cluster, index);
  }
  return credentials;
}

function deployFor(aws: Aws): Credentials {
  const { entries } = aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint: "https://127.0.0.1",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  const { principal, ...credentials } = aws.keys.addUser("function");
  entries.create({
    principalArn: principal.arn,
    type: "STANDARD",
    username: "eks-node-lifecycle",
    groups: ["eks-node-lifecycle"],
    tags: {},
    clientToken: "",
  });
  return credentials;
}

/** The kubelet of a numbered instance registers its node. */
export function join(cluster: SandboxCluster, index: number): void {
  const providerID = `aws:///${zone}/${instanceOf(index)}`;
  cluster.addNode({ name: nodeOf(index), providerID });
}

function hookUp(aws: Aws, heartbeat: Duration): void {
  const to = aws.sqs.createQueue({ name: "dead-letters" });
  const redrive = { kind: "dead-letters", to, maxReceives: 1000 } as const;
  const queue = aws.sqs.createQueue({ name: "notices", visibility, redrive });
  const targetArn = aws.sns.createTopic("notices");
  aws.autoScaling.putHook(group, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    defaultResult: "CONTINUE",
    targetArn,
    heartbeat,
  });
  aws.sns.subscribe(targetArn, { kind: "queue", queue, delivery: "enveloped" });
}
