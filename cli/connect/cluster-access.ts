import { EKSClient } from "@aws-sdk/client-eks";
import { type OpenConnection, openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { type KubeClient, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { type AwsAccess, awsAt, regionOf } from "./aws-access.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { KubeconfigClient, readKubeconfig } from "./kubeconfig-client.ts";

/** The cluster as the user of a command reaches it. */
export interface ClusterAccess {
  /** The name of the cluster in EKS, or the context of the kubeconfig. */
  readonly name: string;
  /** The cluster as the function sees it, with the rights of the user. */
  readonly cluster: KubeCluster;
  /** For every other call of the Kubernetes API: `client.ask(doing, (connection) => sendRequest(connection, …))`. */
  readonly client: KubeClient;
  /** Closes the connections, so that the program can end. */
  close(): Promise<void>;
}

/** Reaches a cluster: by its name in EKS and a token of EKS, or as the user of a kubeconfig if one is asked for or there is no name. */
export async function clusterAt(
  name: string | undefined,
  options: ConnectionOptions,
): Promise<ClusterAccess> {
  const { kubeconfig, context } = options;
  return name !== undefined && kubeconfig === undefined && context === undefined
    ? byToken(name, awsAt(options))
    : byKubeconfig(name, options);
}

/** Does some work with a cluster, and closes the connections to it. */
export async function atCluster<T>(
  name: string | undefined,
  options: ConnectionOptions,
  work: (access: ClusterAccess) => Promise<T>,
): Promise<T> {
  const access = await clusterAt(name, options);
  return work(access).finally(() => access.close());
}

/** Reaches the cluster of a kubeconfig, or of kubectl's own if none is named. */
function byKubeconfig(eksName: string | undefined, options: ConnectionOptions): ClusterAccess {
  const read = readKubeconfig(options, eksName);
  const client = new KubeconfigClient(read, systemClock);
  const cluster = new KubeCluster(client, systemClock);
  return { name: read.getCurrentContext(), client, cluster, close: async () => undefined };
}

async function byToken(clusterName: string, aws: AwsAccess): Promise<ClusterAccess> {
  const eks = new EKSClient(aws);
  const region = await regionOf(eks);
  let isOver = false;
  // A call that is under way at the end, or comes after it, must not connect again and keep the program from ending.
  const open: OpenConnection = (address, token) =>
    new KubeConnection(address, async () => {
      if (isOver)
        throw new Fault("cluster.unreachable", `the way to cluster ${clusterName} is closed`);
      return token();
    });
  const client = openCluster({ eks, clusterName, region, clock: systemClock, open });
  return {
    name: clusterName,
    client,
    cluster: new KubeCluster(client, systemClock),
    close: () => {
      isOver = true;
      return client.connection().then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}
