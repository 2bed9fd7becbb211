import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { loadSharedConfigFiles } from "@smithy/core/config";
import type { Logger } from "@smithy/types";
import { awsClientOptions } from "../../lambda/adapters/aws/aws-client-options.ts";
import { Ec2Machines } from "../../lambda/adapters/aws/ec2-machines.ts";
import { AwsFleets } from "../../lambda/adapters/aws/fleets/aws-fleets.ts";
import { AwsRepairGroups } from "../../lambda/adapters/aws/fleets/aws-repair-groups.ts";
import { Ec2LaunchTemplates } from "../../lambda/adapters/aws/fleets/ec2-launch-templates.ts";
import { lateImages } from "../../lambda/adapters/aws/fleets/late-images.ts";
import { openQueue } from "../../lambda/adapters/aws/sqs-queue.ts";
import { ArcZonalShifts } from "../../lambda/adapters/aws/zonal-shifts.ts";
import { nodeAccessPorts } from "../../lambda/adapters/eks/node-access.ts";
import { openCluster } from "../../lambda/adapters/eks/open-cluster.ts";
import { KubeConnection } from "../../lambda/adapters/kubernetes/connection/kube-connection.ts";
import { KubeFleetNodes } from "../../lambda/adapters/kubernetes/kube-fleet-nodes.ts";
import { KubeSurvey } from "../../lambda/adapters/kubernetes/kube-survey.ts";
import type { Config } from "../../lambda/config/config.ts";
import type { RepairConfig } from "../../lambda/config/repair-config.ts";
import { functionTimeoutSeconds } from "../../lambda/contract.ts";
import { drainPorts } from "../../lambda/drain-ports.ts";
import { deliveries } from "../../lambda/events/deliveries.ts";
import { healthEventOf } from "../../lambda/events/health.ts";
import { type QueueHandler, queueHandler } from "../../lambda/flows/queue/queue-handler.ts";
import { repairWork } from "../../lambda/flows/repair/repair-work.ts";
import { upgradeWork } from "../../lambda/flows/upgrade/upgrade-work.ts";
import type { Journal } from "../../lambda/ports/journal.ts";
import type { NoticePorts, RepairPorts, UpgradePorts } from "../../lambda/ports/ports.ts";
import type { Credentials } from "../../sandbox/aws/credentials/access-keys.ts";
import { readAny, workOnAny } from "./any-work.ts";
import { handlerTo } from "./in-process-aws.ts";
import { wireTo } from "./in-process-transport.ts";
import { KeyNamingSigner } from "./key-naming-signer.ts";
import { Life } from "./life.ts";
import type { Surroundings } from "./surroundings.ts";
import { virtualClock } from "./virtual-clock.ts";
import type { MakesWork } from "./world-options.ts";

// What is read from disk takes real time, during which the world's would go on: the SDK looks for its configuration
// files once, and the function for what only a launch needs.
await Promise.all([
  loadSharedConfigFiles(),
  import("../../lambda/adapters/aws/balancer-calls.ts"),
  import("../../lambda/adapters/aws/fleets/ssm-parameters.ts"),
  import("../../lambda/adapters/aws/zonal-shifts.ts"),
  import("../../lambda/adapters/aws/sqs-queue.ts"),
  import("../../lambda/adapters/eks/node-access.ts"),
  import("../../lambda/flows/interruption/clean-up.ts"),
  import("../../lambda/flows/interruption/work-on-event.ts"),
  import("../../lambda/adapters/kubernetes/kube-workloads.ts"),
  import("../../lambda/flows/launch/register-node.ts"),
  import("../../lambda/flows/making-room/put-back.ts"),
  import("../../lambda/flows/making-room/room-maker.ts"),
  import("../../lambda/flows/report/pass-report.ts"),
]);

/** The settings that a process of the function starts with. */
export interface Deployment {
  readonly config: Config;
  readonly repairs: RepairConfig;
  readonly credentials: Credentials;
  readonly record: Journal["record"];
  readonly work: MakesWork;
}

type WorldPorts = NoticePorts & RepairPorts & UpgradePorts;

// What the SDK would look for in the environment and in files that are not there, with an error for each place, and anew
// for each client of each process: a twentieth of the time of all worlds. These are what it finds in the end.
const foundNowhere = {
  authSchemePreference: () => Promise.resolve([]),
  defaultsMode: "legacy",
  disableClockSkewCorrection: false,
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
    const options = {
      ...awsClientOptions(config.region),
      ...foundNowhere,
      credentials,
      requestHandler,
      signerConstructor: KeyNamingSigner,
      logger: silent,
    };
    const clock = virtualClock(surroundings.timeline, surroundings.ahead);
    const eks = new EKSClient(options);
    const { inbox, outbox } = openQueue(options, { ...config, write: healthEventOf });
    const client = openCluster({
      ...config,
      eks,
      clock,
      open: (address, bearer) =>
        new KubeConnection(address, bearer, wireTo(surroundings, this.life)),
    });
    const journal: Journal = {
      record: (entry) => (this.life.over ? undefined : record(entry)),
    };
    const autoScaling = new AutoScalingClient(options);
    const ec2 = new EC2Client(options);
    const machines = new Ec2Machines(ec2);
    const ports: WorldPorts = {
      ...drainPorts({ client, options, autoScaling, clock, journal }),
      instances: machines,
      ...nodeAccessPorts({ ...config, client, eks, options, clock }),
      fleets: new AwsFleets(autoScaling),
      templates: new Ec2LaunchTemplates(ec2),
      images: lateImages(ec2, options),
      fleetNodes: new KubeFleetNodes(client, machines),
      repairGroups: new AwsRepairGroups(autoScaling),
      surveyNodes: new KubeSurvey(client),
      machines,
      shifts: new ArcZonalShifts(config.region, options),
      outbox,
    };
    this.#handler = queueHandler({
      read: (event) => deliveries(event, readAny),
      work: workOnAny({
        notice: work(config, ports),
        upgrade: upgradeWork({ ...config, startupTaints: [] }, ports),
        repair: repairWork(repairs, ports),
      }),
      inbox,
      clock,
      journal,
    });
  }

  /** Handles an event; a process that dies never answers. */
  answer(event: unknown): Promise<unknown> {
    return this.life.bound(this.#handler(event, context));
  }
}

const context = { getRemainingTimeInMillis: () => functionTimeoutSeconds * 1000 };
