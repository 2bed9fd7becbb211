import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { normalizeProvider } from "@smithy/core";
import { loadSharedConfigFiles } from "@smithy/core/config";
import type { SignatureV4Init } from "@smithy/signature-v4";
import type { HttpRequest, Logger, RequestSigner } from "@smithy/types";
import type { Entry } from "../../journal/entry.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { awsClientOptions } from "../../lambda/aws/aws-client-options.ts";
import { clusterKnown } from "../../lambda/aws/cluster-known.ts";
import { Ec2CapacityBlocks } from "../../lambda/aws/ec2-capacity-blocks.ts";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { Ec2Schedule } from "../../lambda/aws/ec2-schedule.ts";
import { openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { ElbTargetGroups } from "../../lambda/aws/elb-target-groups.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { GatheredInstances } from "../../lambda/aws/gathered-instances.ts";
import { nodeAccessPorts } from "../../lambda/aws/node-access.ts";
import { openQueue } from "../../lambda/aws/sqs-queue.ts";
import { teaching } from "../../lambda/aws/taught-client.ts";
import { timeKnown } from "../../lambda/aws/time-known.ts";
import { Ec2LaunchTemplates } from "../../lambda/aws/upgrade/ec2-launch-templates.ts";
import { lateImages } from "../../lambda/aws/upgrade/late-images.ts";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import { functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import { has } from "../../lambda/base/read.ts";
import type { Config } from "../../lambda/config/config.ts";
import { drainPorts } from "../../lambda/drain-ports.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { taughtTransport } from "../../lambda/kubernetes/taught-transport.ts";
import type { NoticePorts } from "../../lambda/node-work.flow.ts";
import { deliveries } from "../../lambda/notice/deliveries.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import { type QueueHandler, queueHandler } from "../../lambda/notice/queue-handler.flow.ts";
import type { QueueWork } from "../../lambda/notice/queue-work.flow.ts";
import { type Notice, readNotice } from "../../lambda/notices.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { sharedPassedOnBlocks } from "../../lambda/process/shared-ports.ts";
import type { RepairPorts } from "../../lambda/repair/repair.port.ts";
import type { RepairConfig } from "../../lambda/repair/repair-config.ts";
import type { RepairEnd, RepairMessage } from "../../lambda/repair/repair-entry.ts";
import { readRepair } from "../../lambda/repair/repair-message.ts";
import { repairWork } from "../../lambda/repair/repair-pass.flow.ts";
import type { UpgradePorts } from "../../lambda/upgrade/upgrade.port.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import { readUpgrade, type UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { upgradeWork } from "../../lambda/upgrade/upgrade-pass.flow.ts";
import type { Credentials } from "../../sandbox/aws/access-keys.ts";
import { handlerTo } from "./in-process-aws.ts";
import { wireTo } from "./in-process-transport.ts";
import { lateModules } from "./late-modules.ts";
import { Life } from "./life.ts";
import type { Surroundings } from "./surroundings.ts";
import { virtualClock } from "./virtual-clock.ts";
import type { MakesWork } from "./world-options.ts";

/** What a message of a world is about: in worlds, one function does the work of both. */
type AnyMessage =
  | { readonly about: "notice"; readonly content: Notice }
  | { readonly about: "upgrade"; readonly content: UpgradeCommand }
  | { readonly about: "repair"; readonly content: RepairMessage };

/** Reads a notice, or a message about an upgrade or repairs. */
function readAny(value: unknown, path: string): AnyMessage {
  if (has(value, "upgrade")) return { about: "upgrade", content: readUpgrade(value, path) };
  if (Object(value).kind === "repair") return { about: "repair", content: readRepair(value, path) };
  return { about: "notice", content: readNotice(value, path) };
}

/** The work of each function. */
interface Works {
  readonly notice: QueueWork<Notice, Outcome, Entry>;
  readonly upgrade: QueueWork<UpgradeCommand, UpgradeEnd, Entry>;
  readonly repair: QueueWork<RepairMessage, RepairEnd, Entry>;
}

type AnyEnd = Outcome | RepairEnd | UpgradeEnd;

/** Does the work that a message of any kind asks for. */
function workOnAny(works: Works): QueueWork<AnyMessage, AnyEnd, Entry> {
  // Each message goes to the work of its own kind.
  const workOn = ({ about }: AnyMessage) => works[about] as QueueWork<unknown, AnyEnd, Entry>;
  return {
    ...works.notice,
    run: ({ content, ...reception }, ...rest) =>
      workOn(content).run({ content: content.content, ...reception }, ...rest),
    isTriedEnough: ({ content, ...reception }) =>
      workOn(content).isTriedEnough({ content: content.content, ...reception }),
    backWithin: (message) => workOn(message).backWithin?.(message.content) ?? "usual",
    restWithin: (message) => workOn(message).restWithin?.(message.content) ?? "usual",
    subjectOf: (message) => workOn(message).subjectOf(message.content),
    startEntry: ({ content, ...reception }) =>
      workOn(content).startEntry({ content: content.content, ...reception }),
    endEntry: (message, end) => workOn(message).endEntry(message.content, end),
    settled: async () => {
      await Promise.all(Object.values(works).map((one) => one.settled()));
    },
  };
}

const day = "20260101";

/**
 * Names the key and the scope of each request as a signature does, but signs nothing: the world's AWS believes it.
 * Signatures took a tenth of the time of all worlds. The servers of the sandbox judge those of the real client.
 */
class KeyNamingSigner implements RequestSigner {
  readonly #signing: SignatureV4Init;

  constructor(signing: SignatureV4Init) {
    this.#signing = signing;
  }

  async sign(request: HttpRequest): Promise<HttpRequest> {
    const { service } = this.#signing;
    const region = await normalizeProvider(this.#signing.region)();
    const { accessKeyId, sessionToken } = await normalizeProvider(this.#signing.credentials)();
    const scope = `${accessKeyId}/${day}/${region}/${service}/aws4_request`;
    Object.assign(request.headers, {
      "x-amz-date": `${day}T000000Z`,
      "x-amz-security-token": sessionToken ?? "",
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${"0".repeat(64)}`,
    });
    return request;
  }
}

// What is read from disk takes real time, during which the world's would go on: the SDK looks for its configuration
// files once, and the function for what only a launch needs.
await Promise.all([loadSharedConfigFiles(), ...lateModules.map((path) => import(path))]);

/** The settings that a process of the function starts with. */
export interface Deployment {
  readonly config: Config;
  readonly repairs: RepairConfig;
  readonly credentials: Credentials;
  readonly record: Journal<Entry>["record"];
  readonly work: MakesWork;
}

type WorldPorts = NoticePorts & RepairPorts & UpgradePorts;

// What the SDK would look for in the environment and in files that are not there, with an error for each place, and anew
// for each client of each process: a twentieth of the time of all worlds. These are what it finds in the end.
const foundNowhere = {
  authSchemePreference: () => Promise.resolve([]),
  defaultsMode: "legacy",
  // The SDK signs by the real time, which the world's is not, and its signatures are believed.
  disableClockSkewCorrection: true,
  ignoreConfiguredEndpointUrls: true,
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: () => Promise.resolve(undefined),
} as const;

const drop = (): void => undefined;
// For a logger with a place for it, the SDK prepares each answer anew, even if the logger then drops it.
const silent: Logger = Object.create({ debug: drop, warn: drop, error: drop });

/** One process of the function, composed as in its handler, with real clients; it may die. */
export class FunctionProcess {
  readonly life = new Life();
  readonly #handler: QueueHandler<unknown>;

  constructor(deployment: Deployment, surroundings: Surroundings) {
    const { config, repairs, credentials, record, work } = deployment;
    const requestHandler = handlerTo(surroundings, this.life);
    const clock = new ServerClock(virtualClock(surroundings.timeline, surroundings.ahead));
    const options = {
      ...awsClientOptions(config.region),
      ...teaching(clock),
      ...foundNowhere,
      credentials,
      requestHandler,
      signerConstructor: KeyNamingSigner,
      logger: silent,
    };
    const eks = new EKSClient(options);
    const { inbox, outbox } = openQueue(options, config);
    const client = openCluster({
      ...config,
      eks,
      clock,
      open: (address, bearer) =>
        new KubeConnection(
          address,
          bearer,
          taughtTransport(wireTo(surroundings, this.life), clock),
        ),
    });
    const journal: Journal<Entry> = {
      record: (entry) => (this.life.over ? undefined : record(entry)),
    };
    const autoScaling = new AutoScalingClient(options);
    const ec2 = new EC2Client(options);
    const machines = new Ec2Machines(ec2);
    const ports: WorldPorts = {
      ...drainPorts({ client, options, autoScaling, clock }),
      journal,
      instances: machines,
      ...nodeAccessPorts({ ...config, client, eks, options, clock }),
      groups: new FullAutoScalingGroups(autoScaling),
      templates: new Ec2LaunchTemplates(ec2),
      images: lateImages(ec2, options),
      targetGroups: new ElbTargetGroups(options, clock),
      groupNodes: new KubeGroupNodes(client, machines),
      machines,
      shifts: new ArcZonalShifts(config.region, options),
      outbox,
      schedule: new Ec2Schedule(ec2),
      blocks: new Ec2CapacityBlocks(ec2, clock),
      passedOnBlocks: sharedPassedOnBlocks(clock),
      hurried: new GatheredInstances(machines, clock),
      clusterKnown: () => clusterKnown(client, clock),
    };
    this.#handler = queueHandler({
      read: (event) => deliveries(event, { ...config, reader: readAny }),
      work: workOnAny({
        notice: work(config, ports),
        upgrade: upgradeWork({ ...config, startupTaints: [] }, ports),
        repair: repairWork(repairs, ports),
      }),
      inbox,
      clock,
      journal,
      timeKnown: () => timeKnown(client, clock),
    });
  }

  /** Handles an event; a process that dies never answers. */
  answer(event: unknown): Promise<unknown> {
    return this.life.bound(this.#handler(event, context));
  }
}

const context = { getRemainingTimeInMillis: () => functionTimeoutSeconds * 1000 };
