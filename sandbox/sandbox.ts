import { randomUUID } from "node:crypto";
import type { Happening, HappeningListener } from "../journal/happening.ts";
import { Aws } from "./aws/aws.ts";
import { functionEvent, type Publication } from "./aws/sns.ts";
import type { Deployment, DeploymentWorld } from "./deployment.ts";
import { EventLog, endOf, watchWorld } from "./event-log.ts";
import { joinInstancesAndNodes } from "./instances-and-nodes.ts";
import { roleBasedAuthorizer } from "./kubernetes/api/authorizer.ts";
import { configMaps } from "./kubernetes/core-resources.ts";
import { SandboxCluster } from "./kubernetes/sandbox-cluster.ts";
import type { InvocationResult } from "./lambda/invocation.ts";
import type { Scenario, World } from "./scenario.ts";
import { type AwsServer, startAwsServer } from "./servers/aws-server.ts";
import { startKubeServer } from "./servers/kube-server.ts";
import { startSilentServer } from "./servers/silent-server.ts";
import { type Cancel, WallTimeline } from "./timeline.ts";

/** The servers of a sandbox, and the address and authority that EKS reports for the cluster. */
interface SandboxServers {
  readonly account: AwsServer;
  readonly endpoint: string;
  /** As PEM. */
  readonly certificateAuthority: string;
  close(): Promise<void>;
}

/**
 * Serves the account and the cluster of a world on loopback.
 * If the scenario wants a silent API server, the endpoint is that of a server that never answers.
 */
async function startServers(
  { aws, cluster }: World,
  { apiServer }: Pick<Scenario, "apiServer">,
): Promise<SandboxServers> {
  const account = await startAwsServer(aws, { signatures: "judged" });
  const kubernetes = await startKubeServer(cluster);
  const silent = await startSilentServer();
  return {
    account,
    endpoint: (apiServer === "silent" ? silent : kubernetes).url,
    certificateAuthority: Buffer.from(kubernetes.certificateAuthority, "base64").toString(),
    async close() {
      await Promise.all([account, kubernetes, silent].map((server) => server.close()));
    },
  };
}

/** A cluster, its account and the functions deployed there, all on the local computer. */
export interface Sandbox extends World {
  readonly deployment: Deployment;
  /** Everything that has happened so far. */
  happenings(): readonly Happening[];
  onHappening(listener: HappeningListener): Cancel;
  /** Publishes a notice to a topic; it reaches a function through a queue. */
  publish(topic: string, notice: Publication): void;
  /** Invokes a function directly with a notice, as the SNS event that this topic would send. */
  invoke(name: string, topic: string, notice: Publication): Promise<InvocationResult>;
  /** Ends every process and closes every server. */
  close(): Promise<void>;
}

/** Starts a sandbox, populates it with a scenario, and deploys into it. */
export async function startSandbox(
  scenario: Scenario,
  deployInto: (world: DeploymentWorld) => Deployment,
): Promise<Sandbox> {
  const timeline = new WallTimeline();
  const eventLog = new EventLog(timeline);
  const world = worldOf(scenario, timeline);
  const servers = await startServers(world, scenario);
  const { aws } = world;
  const log = eventLog.hear.bind(eventLog);
  let deployment: Deployment;
  try {
    aws.eks.createCluster({
      name: scenario.clusterName,
      version: "1.36",
      endpoint: servers.endpoint,
      certificateAuthority: servers.certificateAuthority,
      authenticationMode: "CONFIG_MAP",
    });
    scenario.populate(world);
    deployment = deployInto({ aws, addresses: servers.account, log });
  } catch (refusal) {
    await servers.close();
    timeline.stop();
    throw refusal;
  }
  joinInstancesAndNodes(world);
  watchWorld(world, deployment, eventLog);
  deployment.start();
  const ends = async () => {
    await deployment.stop();
    await servers.close();
    timeline.stop();
  };
  return sandboxOf(world, deployment, eventLog, ends);
}

/** Creates an account, and a cluster that authenticates its callers with it. */
function worldOf({ account, clusterName, rbac }: Scenario, timeline: WallTimeline): World {
  const aws = new Aws(timeline, account);
  const awsAuth = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const authenticator = aws.authenticator(clusterName, () => cluster.store.tryGet(awsAuth)?.data);
  const authorizer = roleBasedAuthorizer(rbac);
  const cluster = new SandboxCluster(timeline, { authenticator, authorizer });
  return { aws, cluster };
}

function sandboxOf(
  world: World,
  deployment: Deployment,
  eventLog: EventLog,
  close: () => Promise<void>,
): Sandbox {
  return {
    ...world,
    deployment,
    happenings: () => eventLog.happenings,
    onHappening: (listener) => eventLog.onHappening(listener),
    publish(topic, notice) {
      const { arn, queues } = deployment.topic(topic);
      eventLog.tell({ kind: "published", to: `topic ${topic}, to queue ${queues.join(" and ")}` });
      world.aws.sns.publish(arn, notice);
    },
    async invoke(name, topic, notice) {
      eventLog.tell({ kind: "published", to: "the function itself" });
      const { arn: topicArn } = deployment.topic(topic);
      const timestamp = new Date(world.aws.timeline.now()).toISOString();
      const notification = { ...notice, messageId: randomUUID(), topicArn, timestamp };
      const event = functionEvent(notification, `${topicArn}:replay`);
      const result = await deployment.function(name).invoke(event);
      eventLog.tell(endOf(result, 0));
      return result;
    },
    close,
  };
}
