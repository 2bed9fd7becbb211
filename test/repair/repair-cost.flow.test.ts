import { createHash } from "node:crypto";
import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Entry } from "../../journal/entry.ts";
import { AwsLoadBalancers } from "../../lambda/aws/aws-load-balancers.ts";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { ElbTargetGroups } from "../../lambda/aws/elb-target-groups.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import { minutes } from "../../lambda/base/time.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { KubeEventRecorder } from "../../lambda/kubernetes/event-recorder.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { sharedPorts } from "../../lambda/process/shared-ports.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { repairWork } from "../../lambda/repair/repair-pass.flow.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { openedForTest } from "../kubernetes/opened-for-test.ts";
import { account, aServedAccount } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const registry = "602401143452.dkr.ecr.eu-west-1.amazonaws.com/apps/service";

/** The images in the status of a node, which make it 15 kB long; one in five no other node has. */
const imagesOf = (index: number) =>
  Array.from({ length: 58 }, (_, at) => {
    const name = `${registry}-${at}`;
    const own = at % 5 === 0 ? `${index}` : "";
    return {
      names: [`${name}@sha256:${digest(`${own}/${at}`)}`, `${name}:v1.${at}.0`],
      sizeBytes: 10_000_000 + at,
    };
  });

/** A cluster of as many nodes, and their group, served on loopback. */
async function aServedGroup(count: number) {
  const served = await aServedAccount();
  const { aws, timeline } = served;
  const cluster = new SandboxCluster(timeline);
  const server = await startKubeServer(cluster, { protocol: "http" });
  onTestFinished(() => server.close());
  aws.autoScaling.createGroup({ name: "workers", zones: ["eu-west-1a"], max: count });
  const place = { endpoint: server.url, certificateAuthority: "" };
  aws.eks.createCluster({ name: "demo", version: "1.36", ...place, authenticationMode: "API" });
  for (let index = 1; index <= count; index += 1) {
    const id = `i-${String(index).padStart(17, "0")}`;
    const name = `ip-10-0-0-${index}`;
    aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "10.0.0.1" });
    aws.autoScaling.attach({ id, zone: "eu-west-1a", group: "workers" });
    cluster.addNode({ name, providerID: `aws:///eu-west-1a/${id}` });
    cluster.store.update({ resource: nodes, name }, (node) => ({
      ...node,
      status: { ...node.status, images: imagesOf(index) },
    }));
  }
  return { ...served, cluster };
}

/** Hears every answer that this process gets. */
function heardAnswers() {
  const sockets = new Set<Socket>();
  const heard = {
    answers: 0,
    bytes: () => Array.from(sockets, bytesOf).reduce((a, b) => a + b, 0),
  };
  const hear = (message: unknown): void => {
    heard.answers += 1;
    sockets.add(Object(message).response.socket);
  };
  diagnostics.subscribe("http.client.response.finish", hear);
  onTestFinished(() => void diagnostics.unsubscribe("http.client.response.finish", hear));
  return heard;
}

const bytesOf = ({ bytesRead }: Socket): number => bytesRead;

it("a pass over 1,000 well nodes of 15 kB is at most ten requests and 2 MB", async () => {
  const { autoScaling, ec2, eks, key, server, cluster } = await aServedGroup(1000);
  const [first] = cluster.store.list(nodes);
  expect(JSON.stringify(first).length).toBeGreaterThan(14_000);
  const clock = new QuickClock();
  const told: Entry[] = [];
  const journal = { record: (entry: Entry) => void told.push(entry) };
  const options = { endpoint: server.url, region: account.region, credentials: key };
  const client = openCluster({
    eks,
    clock,
    region: account.region,
    clusterName: "demo",
    open: openedForTest,
  });
  const machines = new Ec2Machines(ec2);
  const ports = {
    cluster: new KubeCluster(client, clock),
    balancers: new AwsLoadBalancers(options, clock),
    targetGroups: new ElbTargetGroups(options, clock),
    groups: new FullAutoScalingGroups(autoScaling),
    groupNodes: new KubeGroupNodes(client, machines),
    shifts: new ArcZonalShifts(account.region, options),
    events: new KubeEventRecorder(client),
    conditions: () => Promise.reject(new Error("nobody writes conditions")),
    machines,
    instances: machines,
    clock,
    journal,
    reasons: drainReasons,
    ...sharedPorts(clock),
  };
  const queues = { QUEUE_URL: "http://queue", DEAD_LETTER_QUEUE_URL: "http://letters" };
  const place = { AWS_REGION: account.region, CLUSTER_NAME: "demo", MANAGED_GROUPS: '["workers"]' };
  const work = repairWork(parseRepairConfig({ ...queues, ...place }), ports);
  const heard = heardAnswers();

  const content = { kind: "repair", sent: "unsaid" } as const;
  await work.run({ content, receives: 1, firstReceived: clock.now() }, minutes(1), journal);

  expect(told).toContainEqual(
    expect.objectContaining({ kind: "repair-pass", instances: 1000, nodes: 1000, ill: 0 }),
  );
  expect(heard.answers).toBeLessThanOrEqual(10);
  expect(heard.bytes()).toBeLessThanOrEqual(2_000_000);
});
