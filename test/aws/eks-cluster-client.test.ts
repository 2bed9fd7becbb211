import { describe, expect, it, onTestFinished } from "vitest";
import { openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { KubeCall, KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { readJson } from "../../lambda/kubernetes/send-request.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { type KubeServer, startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { openedForTest } from "../kubernetes/opened-for-test.ts";
import { account, aServedAccount } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";

const clusterName = "demo";

const pemOf = ({ certificateAuthority }: KubeServer): string =>
  Buffer.from(certificateAuthority, "base64").toString();

/** A cluster that EKS describes, and a client of it. */
async function aWayIn(known = clusterName) {
  const timeline = new WallTimeline();
  const cluster = new SandboxCluster(timeline);
  const server = await startKubeServer(cluster);
  onTestFinished(async () => {
    await server.close();
    timeline.stop();
  });
  const { aws, eks } = await aServedAccount();
  const described = { endpoint: server.url, certificateAuthority: pemOf(server) };
  aws.eks.createCluster({
    name: known,
    version: "1.36",
    authenticationMode: "API",
    ...described,
  });
  const clock = new QuickClock();
  const { region } = account;
  const client = openCluster({ eks, clusterName, region, clock, open: openedForTest });
  return { aws, cluster, server, client, pauses: clock.slept };
}

const listNodes: KubeCall<unknown> = (connection) => readJson(connection, "/api/v1/nodes");
const ask = (client: KubeClient) => client.ask("listing nodes", listNodes);

describe("the connection to a cluster", () => {
  it("needs one DescribeCluster, however often it is used", async () => {
    const { aws, client } = await aWayIn();
    await Promise.all([ask(client), ask(client), ask(client)]);
    await ask(client);
    expect(aws.calls.of("DescribeCluster")).toHaveLength(1);
  });

  it("needs another DescribeCluster after the cluster's certificate authority changed", async () => {
    const { aws, client, server } = await aWayIn();
    await ask(client);
    await server.rotateCertificate();
    aws.eks.updateCluster(clusterName, { certificateAuthority: pemOf(server) });
    server.dropConnections();

    await Promise.all([ask(client), ask(client)]);

    expect(aws.calls.of("DescribeCluster").length).toBeGreaterThan(1);
    expect(aws.calls.of("DescribeCluster").length).toBeLessThanOrEqual(3);
  });

  it("fails, and says why, while EKS still gives the old authority", async () => {
    const { client, server } = await aWayIn();
    await server.rotateCertificate();
    await expect(ask(client)).rejects.toThrow(/^cluster.unreachable: listing nodes: .*certificate/);
  });

  it("goes to a new endpoint within the call", async () => {
    const { aws, cluster, client, server } = await aWayIn();
    await ask(client);
    const moved = await startKubeServer(cluster);
    onTestFinished(() => moved.close());
    aws.eks.updateCluster(clusterName, {
      endpoint: moved.url,
      certificateAuthority: pemOf(moved),
    });
    await server.close();

    await ask(client);
  });

  it("is a fault that names the cluster when EKS does not know it", async () => {
    const { client } = await aWayIn("another");
    await expect(ask(client)).rejects.toThrow(
      "cluster.not-found: describing cluster demo: EKS knows no such cluster",
    );
  });

  it("waits as long as a throttling server says, and tries again", async () => {
    const { cluster, client, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, throttled(3), { times: 2 });
    await ask(client);
    expect(pauses).toEqual([seconds(3), seconds(3)]);
  });

  it.each([{ status: 500 }, { status: 502 }, { status: 503 }, { status: 504 }, "reset"] as const)(
    "bridges three faults in a row in less than two seconds: %j",
    async (fault) => {
      const { cluster, client, pauses } = await aWayIn();
      cluster.failNext({ plural: "nodes" }, fault, { times: 3 });
      await ask(client);
      expect(pauses.length).toBeGreaterThan(0);
      expect(pauses.reduce((all, pause) => all + pause, 0)).toBeLessThan(seconds(2));
    },
  );

  it.each([
    [{ status: 500 }, /^cluster.refused: listing nodes: HTTP 500/],
    ["reset", /^cluster.unreachable: listing nodes/],
  ] as const)("gives up on a server that does not recover: %j", async (fault, message) => {
    const { cluster, client, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, fault, { times: 20 });
    await expect(ask(client)).rejects.toThrow(message);
    expect(pauses).toHaveLength(3);
  });

  it.each([400, 403, 404, 409, 422])("does not repeat what was refused: %s", async (status) => {
    const { cluster, client, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, { status });
    await expect(ask(client)).rejects.toThrow(`HTTP ${status}`);
    expect(pauses).toEqual([]);
  });

  it("says who was refused by whom, and what to check, when its token is not accepted", async () => {
    const { cluster, client } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, { status: 401 }, { times: 9 });
    await expect(ask(client)).rejects.toThrow(
      "cluster.unauthorized: listing nodes: HTTP 401: the API server of the cluster does not accept the caller, neither by an access entry nor by aws-auth",
    );
  });

  it("gives up on a server that keeps throttling, with its message", async () => {
    const { cluster, client, pauses } = await aWayIn();
    cluster.failNext({ plural: "nodes" }, throttled(60), { times: 9 });
    await expect(ask(client)).rejects.toThrow(/^cluster.refused: listing nodes: HTTP 429/);
    expect(pauses).toEqual([seconds(8), seconds(8), seconds(8)]);
  });
});
