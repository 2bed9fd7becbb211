import { EKSClient } from "@aws-sdk/client-eks";
import { type OpenConnection, openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { teaching } from "../../lambda/aws/taught-client.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { type Instant, seconds } from "../../lambda/base/time.ts";
import { PersistentTransport } from "../../lambda/http/persistent-transport.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { type KubeClient, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import { taughtTransport } from "../../lambda/kubernetes/taught-transport.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { AwaitedAnswers } from "./awaited-answers.ts";
import { type AwsAccess, awsAt, regionOf } from "./aws-access.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { KubeconfigClient, readKubeconfig } from "./kubeconfig-client.ts";

/** Access to a cluster with the rights of the user. */
export interface ClusterAccess {
  /** The name of the cluster in EKS, or the context of the kubeconfig. */
  readonly name: string;
  /** The cluster as the function's code reads it. */
  readonly cluster: KubeCluster;
  /** Sends other requests to the API server: `client.ask(doing, (connection) => sendRequest(connection, …))`. */
  readonly client: KubeClient;
  /** The time of the cluster, by the dates of its answers. */
  readonly clock: ServerClock;
  readonly awaited: AwaitedAnswers;
  /** Closes the connections, so that the process can exit. */
  close(): Promise<void>;
}

/** Connects to a cluster: by its name in EKS with a token, or through a kubeconfig if one is named or there is no name. */
export async function clusterAt(
  name: string | undefined,
  options: ConnectionOptions,
): Promise<ClusterAccess> {
  const { kubeconfig, context } = options;
  return name !== undefined && kubeconfig === undefined && context === undefined
    ? byToken(name, awsAt(options))
    : byKubeconfig(name, options);
}

/** Runs some work with access to a cluster, and closes the connections afterwards. */
export async function atCluster<T>(
  name: string | undefined,
  options: ConnectionOptions,
  work: (access: ClusterAccess) => Promise<T>,
): Promise<T> {
  const access = await clusterAt(name, options);
  return work(access).finally(() => access.close());
}

// Where a cluster does not answer, its other reads take their time.
const answerTimeout = seconds(3);

/** The time of a cluster; that of this computer where the cluster does not answer. */
export async function timeAt({
  client,
  clock,
}: Pick<ClusterAccess, "client" | "clock">): Promise<Instant> {
  if (!clock.taught)
    await client
      .once((connection) =>
        sendRequest(connection, { method: "GET", path: "/version" }, { limit: answerTimeout }),
      )
      .catch(() => undefined);
  return clock.now();
}

/** Connects to the cluster of a kubeconfig; by default, of kubectl's own. */
function byKubeconfig(eksName: string | undefined, options: ConnectionOptions): ClusterAccess {
  const read = readKubeconfig(options, eksName);
  const clock = new ServerClock(systemClock);
  const awaited = new AwaitedAnswers();
  const client = new KubeconfigClient(read, clock, (transport) => awaited.over(transport));
  const cluster = new KubeCluster(client, clock);
  const name = read.getCurrentContext();
  return { name, client, cluster, clock, awaited, close: async () => undefined };
}

async function byToken(clusterName: string, aws: AwsAccess): Promise<ClusterAccess> {
  const clock = new ServerClock(systemClock);
  const eks = new EKSClient({ ...aws, ...teaching(clock) });
  const region = await regionOf(eks);
  const awaited = new AwaitedAnswers();
  let isOver = false;
  // A request that is still running at the end, or starts after it, must not open a connection and keep the process alive.
  const open: OpenConnection = (address, token) => {
    const whileOpen = async () => {
      if (isOver)
        throw new Fault("cluster.unreachable", `the way to cluster ${clusterName} is closed`);
      return token();
    };
    const transport = taughtTransport(awaited.over(new PersistentTransport(address)), clock);
    return new KubeConnection(address, whileOpen, transport);
  };
  const client = openCluster({ eks, clusterName, region, clock, open });
  return {
    name: clusterName,
    client,
    cluster: new KubeCluster(client, clock),
    clock,
    awaited,
    close: () => {
      isOver = true;
      return client.connection().then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}
