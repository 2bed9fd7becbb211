import { EKSClient } from "@aws-sdk/client-eks";
import { CoreV1Api } from "@kubernetes/client-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { EksConnection, type KubeCall } from "../../../lambda/adapters/eks/eks-connection.ts";
import { EksToken } from "../../../lambda/adapters/eks/eks-token.ts";
import { KubeConnection } from "../../../lambda/adapters/kubernetes/connection/kube-connection.ts";
import { systemClock } from "../../../lambda/adapters/local/system-clock.ts";
import { type Duration, seconds } from "../../../lambda/domain/time.ts";
import { throttled } from "../../../sandbox/cluster/api/planned-faults.ts";
import { SandboxCluster } from "../../../sandbox/cluster/sandbox-cluster.ts";
import { type KubeServer, startKubeServer } from "../../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../../sandbox/timeline.ts";
import { aServedAccount } from "../../sandbox/aws-account.ts";

const clusterName = "demo";

const pemOf = ({ certificateAuthority }: KubeServer): string =>
  Buffer.from(certificateAuthority, "base64").toString();

/** A cluster that EKS describes, and the way into it. */
async function aWayIn(known = clusterName) {
  const timeline = new WallTimeline();
  const cluster = new SandboxCluster(timeline);
  const server = await startKubeServer(cluster);
  onTestFinished(async () => {
    await server.close();
    timeline.stop();
  });
  const { aws, server: awsServer, key } = await aServedAccount();
  const described = { endpoint: server.url, certificateAuthority: pemOf(server) };
  aws.eks.createCluster({
    name: known,
    version: "1.36",
    authenticationMode: "API",
    ...described,
  });
  const settings = { endpoint: awsServer.url, region: "eu-west-1", credentials: key };
  const eks = new EKSClient(settings);
  const pauses: Duration[] = [];
  const region = "eu-west-1";
  const credentials = async () => key;
  const connection = new EksConnection({
    eks,
    clusterName,
    token: new EksToken({ clusterName, region, credentials, now: systemClock.now }),
    async pause(duration) {
      pauses.push(duration);
    },
    open(address, token) {
      const opened = new KubeConnection(address, token);
      onTestFinished(() => opened.close());
      return opened;
    },
  });
  return { aws, cluster, server, connection, pauses };
}

const listNodes: KubeCall<unknown> = (open) => new CoreV1Api(open.configuration()).listNode();
const ask = (connection: EksConnection) => connection.ask("listing nodes", listNodes);

describe("the way into a cluster", () => {
  it("is described by EKS once, however often it is taken", async () => {
    const { aws, connection } = await aWayIn();
    await Promise.all([ask(connection), ask(connection), ask(connection)]);
    await ask(connection);
    expect(aws.calls.of("DescribeCluster")).toHaveLength(1);
  });

  it("is described anew when the cluster's certificate authority was rotated", async () => {
    const { aws, connection, server } = await aWayIn();
    await ask(connection);
    await server.rotateCertificate();
    aws.eks.updateCluster(clusterName, { certificateAuthority: pemOf(server) });
    server.dropConnections();

    await Promise.all([ask(connection), ask(connection)]);

    expect(aws.calls.of("DescribeCluster").length).toBeGreaterThan(1);
    expect(aws.calls.of("DescribeCluster").length).toBeLessThanOrEqual(3);
  });

  it("is closed while EKS still tells the old authority, and says why", async () => {
    const { connection, server } = await aWayIn();
    await server.rotateCertificate();
    await expect(ask(connection)).rejects.toThrow(
      /^cluster.unreachable: listing nodes: .*certificate/,
    );
  });

  it("is found again at another endpoint, by the next who asks", async () => {
    const { aws, cluster, connection, server } = await aWayIn();
    await ask(connection);
    const moved = await startKubeServer(cluster);
    onTestFinished(() => moved.close());
    aws.eks.updateCluster(clusterName, {
      endpoint: moved.url,
      certificateAuthority: pemOf(moved),
    });
    await server.close();

    await expect(ask(connection)).rejects.toThrow(/^cluster.unreachable: listing nodes/);
    await ask(connection);
  });

  it("is a fault that names the cluster when EKS does not know it", async () => {
    const { connection } = await aWayIn("another");
    await expect(ask(connection)).rejects.toThrow(
      "cluster.not-found: describing cluster demo: EKS knows no such cluster",
    );
  });

  it("waits as long as a throttling server wishes, and asks again", async () => {
    const { cluster, connection, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, throttled(3), { times: 2 });
    await ask(connection);
    expect(pauses).toEqual([seconds(3), seconds(3)]);
  });

  it("gives up on a server that throttles and throttles, with what it said", async () => {
    const { cluster, connection, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, throttled(60), { times: 9 });
    await expect(ask(connection)).rejects.toThrow(/^cluster.refused: listing nodes: HTTP 429/);
    expect(pauses).toEqual([seconds(8), seconds(8), seconds(8)]);
  });
});
