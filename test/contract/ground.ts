import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { awsClientOptions } from "../../lambda/aws/aws-client-options.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import {
  type EksClusterClient,
  openCluster,
  overTheNetwork,
} from "../../lambda/aws/eks-cluster-client.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { type AwsServer, startAwsServer } from "../../sandbox/servers/aws-server.ts";
import type { Timeline } from "../../sandbox/timeline.ts";
import { account, keyOf, keys } from "./identities.ts";

/** The cluster's name in EKS. */
export const clusterName = "demo";

/** A cluster that EKS knows but whose API server does not run. */
export const clusterThatIsDown = "down";

/** The clients of one role, which reach the cluster as the function does. */
export interface Caller {
  readonly cluster: KubeCluster;
  readonly groupNodes: KubeGroupNodes;
  readonly client: EksClusterClient;
}

/** The account around the cluster: the keys of the roles, and what EKS says about the cluster. */
export interface Ground {
  readonly aws: Aws;
  readonly server: AwsServer;
  /** From now on EKS describes the cluster; the certificate authority is PEM. */
  built(endpoint: string, certificateAuthority: string): void;
  readonly caller: CallerOf;
}

/** How a caller differs from the function as it is deployed. */
export interface CallerOptions {
  /** The cluster's name in EKS. @default the one that runs */
  readonly cluster?: string;
  /** What tokens are signed with. @default the role's key */
  readonly credentials?: AwsCredentialIdentityProvider;
}

/** Makes the clients of an IAM role. */
export type CallerOf = (role: string, options?: CallerOptions) => Caller;

/** Starts an account with the keys of all roles. */
export async function startGround(timeline: Timeline): Promise<Ground> {
  const aws = new Aws(timeline, account);
  const server = await startAwsServer(aws);
  for (const key of keys) aws.keys.add(key);
  return {
    aws,
    server,
    built(endpoint, certificateAuthority) {
      const made = { version: "1.36", certificateAuthority } as const;
      const authenticationMode = "CONFIG_MAP";
      aws.eks.createCluster({ name: clusterName, endpoint, ...made, authenticationMode });
      const nobody = { name: clusterThatIsDown, endpoint: "https://127.0.0.1:9" };
      aws.eks.createCluster({ ...nobody, ...made, authenticationMode });
    },
    caller: (role, options = {}) => callerAt(server.url, role, options),
  };
}

function callerAt(endpoint: string, role: string, options: CallerOptions): Caller {
  const { cluster: name = clusterName } = options;
  const own = credentialsOf(role);
  const { credentials = async () => own } = options;
  const clock = new ServerClock(systemClock);
  const { region } = account;
  const aws = { ...awsClientOptions(region), endpoint, credentials: own };
  const eks = new EKSClient(aws);
  const client = openCluster({
    eks,
    clusterName: name,
    region,
    credentials,
    clock,
    open: overTheNetwork(clock),
  });
  return {
    cluster: new KubeCluster(client, clock),
    groupNodes: new KubeGroupNodes(client, new Ec2Instances(new EC2Client(aws))),
    client,
  };
}

/** The credentials of a role. */
export function credentialsOf(role: string) {
  const found = keys.find(({ accessKeyId }) => accessKeyId === keyOf(role));
  if (found === undefined) throw new Error(`nobody has the role ${role}`);
  const { accessKeyId, secretAccessKey } = found;
  return { accessKeyId, secretAccessKey };
}
