import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { V1ConfigMap } from "@kubernetes/client-node";
import { nodeFunction } from "../../cli/replay/deploy-demo.ts";
import { repairMessage, repairsGroup, upgradesGroup } from "../../lambda/base/contract.ts";
import { tryRoleArn } from "../../lambda/base/role-arn.ts";
import type { Duration } from "../../lambda/base/time.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import type { MappingSettings } from "../../sandbox/lambda/event-source-mapping.ts";
import { bundleIn } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunctions } from "../../sandbox/queue-function.ts";
import { demoNode, mappingOf } from "../../sandbox/scenarios/demo-ng.ts";
import { demoUpgrade } from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { demoRepairs } from "./demo-repairs.ts";
import { fences } from "./fences.ts";
import { joinGroup, makeGroup, type RealGroup, terminateHook } from "./real-groups.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const { clusterName } = demoNode;
const bundleOf = (name: "node" | "repair" | "upgrade") =>
  bundleIn(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)));

/** The options of a world. */
export interface RealWorldOptions {
  readonly nodes: readonly ClusterNode[];
  readonly group: string;
  /** Further groups of the deployment, with nodes of their own. */
  readonly groups?: readonly RealGroup[];
  /** Settings of the function where they differ from the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Settings of the repair function where they differ from the defaults. @default no repairs */
  readonly repairs?: Readonly<Record<string, string>>;
  /** How long an invocation may take. @default 120 s, as the stack has it */
  readonly timeout?: Duration;
  /** How the queue is mapped to the function. @default as the stack has it */
  readonly mapping?: MappingSettings;
  /** Further variables of the control plane's scripts. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A real control plane, the sandbox's AWS around it, and the function's bundle deployed for both. */
export interface RealWorld {
  readonly controlPlane: ControlPlane;
  readonly aws: Aws;
  /** The value for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** The topic that the function's queue subscribes to. */
  readonly topicArn: string;
  /** The topic that the queue of the upgrade function subscribes to. */
  readonly upgradesArn: string;
  /** Sends the message that the schedule of repairs sends. */
  lookForRepairs(): void;
  /** The lines that the function has written. */
  readonly log: readonly string[];
  /** Terminates an instance of its group; its notice reaches the function by topic and queue. */
  terminate(instance: string, token?: string): void;
  /** Puts a terminated instance back into its group, as if it were new. */
  rejoin(node: ClusterNode): Promise<void>;
  /** Ends every process of the node function, so that the next notice needs a cold start. */
  coolDown(): void;
  /** Waits until the last actions of all these instances have ended. */
  released(...instances: readonly string[]): Promise<readonly ActionRecord[]>;
  stop(): Promise<void>;
}

/**
 * Starts everything; aws-auth maps the function's role to the rights of lambda/rights without
 * force.
 */
export async function startRealWorld(options: RealWorldOptions): Promise<RealWorld> {
  const { nodes, group, env = {} } = options;
  const groups = [{ name: group, nodes }, ...(options.groups ?? [])];
  const timeline = new WallTimeline();
  const aws = new Aws(timeline, account);
  const server = await startAwsServer(aws);
  aws.keys.add(authenticatorsOwn);
  const controlPlane = await startControlPlane({
    nodes: groups.flatMap((one) => one.nodes),
    cluster: clusterName,
    ec2Endpoint: server.url,
    env,
  });
  const { url: endpoint, certificateAuthority } = controlPlane;
  aws.keys.onAdded(({ accessKeyId, secretAccessKey, principal: { arn } }) => {
    void controlPlane.addAccessKey({ accessKeyId, secretAccessKey, arn });
  });
  aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint,
    certificateAuthority,
    authenticationMode: "CONFIG_MAP",
  });
  const log: string[] = [];
  const place = { ...demoNode, managedGroups: groups.map(({ name }) => name) };
  const { settings, timeout, mapping } = options;
  const deployed = {
    ...nodeFunction(place, settings),
    code: bundleOf("node"),
    ...(timeout && { timeout }),
    ...(mapping && { mapping }),
  };
  const upgrades = {
    ...nodeFunction({ ...place, ...demoUpgrade }, settings),
    code: bundleOf("upgrade"),
  };
  const repairs = {
    ...nodeFunction({ ...place, ...demoRepairs }, { ...settings, ...options.repairs }),
    code: bundleOf("repair"),
  };
  const wished = options.repairs === undefined ? [] : [repairs];
  const deployment = deployQueueFunctions([deployed, upgrades, ...wished], {
    aws,
    addresses: server,
    log: ({ text }) => log.push(text),
  });
  const { arn: topicArn } = deployment.topic(demoNode.names.topic);
  const { arn: upgradesArn } = deployment.topic(demoUpgrade.names.topic);
  for (const one of groups) makeGroup(aws, one, topicArn);
  await admit(controlPlane);
  deployment.start();
  return {
    controlPlane,
    aws,
    url: server.url,
    topicArn,
    upgradesArn,
    lookForRepairs() {
      const { arn } = deployment.topic(demoRepairs.names.topic);
      aws.sns.publish(arn, { subject: "", message: JSON.stringify(repairMessage) });
    },
    log,
    terminate: (id, token) =>
      aws.autoScaling.terminate(id, token === undefined ? {} : { [terminateHook]: token }),
    async rejoin(node) {
      while (aws.autoScaling.register.instances().some(({ id }) => id === node.instanceId))
        await setTimeout(50);
      joinGroup(aws, group, node);
    },
    coolDown: () => deployment.function(demoNode.names.function).close(),
    released: (...instances) => ended(aws, instances),
    async stop() {
      await deployment.stop();
      await server.close();
      timeline.stop();
      await controlPlane.stop();
    },
  };
}

// test/control-plane/up gives the authenticator this key, to look up private DNS names in EC2.
const authenticatorsOwn = {
  accessKeyId: "authenticator",
  secretAccessKey: "authenticator",
  sessionToken: "",
  principal: { arn: `arn:aws:iam::${account.id}:user/authenticator`, userId: "AIDAAUTHENTICATOR" },
  expires: "never",
} as const;

const mapRoles = [
  mappingOf(demoNode.role.name, account),
  mappingOf(demoUpgrade.role.name, account, upgradesGroup),
  mappingOf(demoRepairs.role.name, account, repairsGroup),
].join("");

const accountArn = `arn:aws:iam::${account.id}`;
/** The roles of the nodes that tests launch. */
const nodeRoles = ["nodes", "eks-demo-node"].flatMap(
  (name) => tryRoleArn(`${accountArn}:role/${name}`) ?? [],
);

/** Gives the function access, by aws-auth and lambda/rights, within the fences. */
async function admit(controlPlane: ControlPlane): Promise<void> {
  const names = [
    "rbac",
    "rbac-aws-auth-read",
    "rbac-aws-auth-edit",
    "event-fence",
    "rbac-events",
    "rbac-upgrades",
    "rbac-repairs",
    "rbac-agent-restart",
  ];
  const rbac = await Promise.all(
    names.map((name) =>
      readFile(new URL(`../../lambda/rights/${name}.yaml`, import.meta.url), "utf8"),
    ),
  );
  const awsAuth: V1ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "aws-auth", namespace: "kube-system" },
    data: { mapRoles },
  };
  const fenced = fences({ outOfService: "taint", force: "never", account: accountArn, nodeRoles });
  await controlPlane.apply(...fenced, ...rbac, awsAuth);
}

async function ended(aws: Aws, instances: readonly string[]): Promise<readonly ActionRecord[]> {
  for (;;) {
    const actions = aws.autoScaling.actions();
    const last = instances.map((id) => actions.findLast(({ instanceId }) => instanceId === id));
    const over = last.filter((action) => action?.end.kind === "ended");
    if (over.length === instances.length) return over.filter((action) => action !== undefined);
    await setTimeout(20);
  }
}
