import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { Command, Option } from "commander";
import { Fault } from "../../lambda/base/fault.ts";
import { nodeName } from "../../lambda/base/ids.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { atCluster, type ClusterAccess } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { type DeploymentParts, deploymentAt } from "../connect/deployment-at.ts";
import { isMissingStack, mapped } from "../connect/found.ts";
import { stackEventsAction } from "../connect/stack-state.ts";
import { alarmsOf } from "../doctor/alarms.ts";
import { stackParts } from "../doctor/site.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { allOption, type FleetCluster, ofAll, oneOrAll } from "../fleet/fleet.ts";
import { settingsSaid } from "../fleet/said-settings.ts";
import { type ClusterRow, fleetLines, summaryOf } from "../fleet/summary.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { writeLines } from "../terminal/lines.ts";
import { writePage } from "../timeline/write-page.ts";
import { waysToRoom } from "../ways-to-room.ts";
import type { Gap } from "./gap-schema.ts";
import { look, type StatusScope } from "./look.ts";
import { statusPage } from "./status-page.ts";
import type { ClusterStatus } from "./status-schema.ts";
import { tellStatus, watchStatus } from "./watch-status.ts";
import { wayLook } from "./way-look.ts";

/** The AWS actions that `status` needs; the construct's `grantStatus` allows them. */
export const statusActions: readonly string[] = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeLifecycleHooks",
  "cloudformation:DescribeStacks",
  "cloudformation:ListStackResources",
  "eks:DescribeCluster",
  "lambda:GetEventSourceMapping",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sns:GetSubscriptionAttributes",
  "sns:ListSubscriptionsByTopic",
  "sqs:GetQueueAttributes",
];

/** The additional AWS actions if the deployment repairs. */
export const repairActions: readonly string[] = [
  "arc-zonal-shift:ListZonalShifts",
  "autoscaling:DescribeInstanceRefreshes",
  "autoscaling:DescribeScalingActivities",
  "autoscaling:DescribeWarmPool",
  "ec2:DescribeInstances",
];

/** The same for people, a line each. */
export const repairActionsLines = repairActions
  .map((action) => `  ${action}, where repairs are on`)
  .join("\n");

/** The Kubernetes rights that `status` needs. */
export const statusRights = [
  { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
  { apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["get"] },
] as const;

const roomRights = waysToRoom.flatMap((way) => way.statusRights);

const rightText = ({ verbs, resources }: (typeof roomRights | typeof statusRights)[number]) =>
  `  ${verbs.join(", ")} ${resources.join(", ")}`;

const examples = `
The command reads Auto Scaling, the cluster and the queue, so it works even if the function is broken. It names what it
cannot read, and the missing permission. The construct's grantStatus allows what it needs in AWS:
${statusActions.map((action) => `  ${action}`).join("\n")}
  ${stackEventsAction}, where the stack has failed
${repairActionsLines}

In the cluster it needs:
${[...statusRights.map(rightText), ...roomRights.map((right) => `${rightText(right)}, where room is made`)].join("\n")}

Examples:
  npx eks-node-lifecycle status demo
  npx eks-node-lifecycle status --all
  npx eks-node-lifecycle status demo --watch
  npx eks-node-lifecycle status demo --group workers --json
  npx eks-node-lifecycle status demo --kubeconfig ~/.kube/config --context demo --region eu-west-1

Exit codes:
  0  reported, even if an instance is held
  1  something broke; Auto Scaling or the nodes of the cluster could not be read; or there is no such node, group or
     deployment
  2  wrong usage`;

interface StatusOptions extends ConnectionOptions {
  readonly all?: boolean;
  readonly watch?: boolean;
  readonly html?: string;
  readonly node?: string;
  readonly group?: string;
}

/** The command that reports what a deployment holds, and why. */
export const statusCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addConnectionOptions(
    new Command("status")
      .description("show which instances are held, what they wait for, and for how long")
      .argument("[cluster]", "the name of the EKS cluster")
      .addOption(allOption().conflicts(["watch", "html", "node", "group"]))
      .option("--watch", "repeat it until Ctrl-C")
      .addOption(
        new Option(
          "--html <file>",
          "also write what is held into a file that a browser shows",
        ).conflicts("watch"),
      )
      .option("--node <name>", "show this node only")
      .option("--group <name>", "show the instances of this Auto Scaling group only"),
  )
    .addHelpText("after", examples)
    .action(async (name: string | undefined, options: StatusOptions, command: Command) => {
      const one = oneOrAll(name, options, command);
      ended(one === undefined ? await toldOfAll(options, io) : await runStatus(one, options, io));
    });

/** Reports every cluster with a file in one table; for programs, an object for each as soon as it is known. */
async function toldOfAll(options: StatusOptions, io: Io): Promise<ExitCode> {
  const rows: ClusterRow[] = [];
  const code = await ofAll(io, options, {
    work: (member) => summarised(member, io, (row) => rows.push(row)),
    failed: (cluster, { message: why, remedy }) =>
      rows.push({
        cluster,
        summary: "none",
        gaps: [{ source: "", hides: "instances", why, remedy }],
      }),
  });
  if (options.json !== true) writeLines(fleetLines(rows), io);
  return code;
}

/** The row of a cluster. */
async function summarised(
  { name, options }: FleetCluster,
  io: Io,
  tell: (row: ClusterRow) => void,
): Promise<ExitCode> {
  const aws = awsAt(options);
  return atCluster(name, options, async (access) => {
    const parts = await deploymentAt(name, aws, options);
    await assertThere(name, parts, access);
    const isWanted = () => true;
    const about = { node: "all", group: "all", settings: [] } as const;
    const way = wayLook({ name, aws, parts }, systemClock);
    const sight = { name, access, aws, parts, way, isWanted, ...about };
    const [status, resources] = await Promise.all([look(sight), stackParts(parts, aws)]);
    const { alarms } = await alarmsOf({ resources, aws });
    const summary = summaryOf(status, {
      region: options.region ?? "",
      version: parts.output("Version"),
      alarms: mapped(alarms, ringing),
    });
    if (options.json === true) printJson(io.stdout, summary);
    else tell({ cluster: name, summary, gaps: [...status.broken.map(asGap), ...status.gaps] });
    return codeOf(status);
  });
}

/** A broken link as a gap, as the table of many clusters shows it. */
const asGap = ({ link: source, found: why, remedy }: ClusterStatus["broken"][number]): Gap => ({
  source,
  hides: "details",
  why,
  remedy,
});

/** Fails if neither the cluster nor a deployment for it exists, instead of reporting that nothing is held. */
async function assertThere(
  name: string,
  { stack, output }: DeploymentParts,
  { client }: ClusterAccess,
): Promise<void> {
  if (!isMissingStack(output("FunctionName"))) return;
  await client
    .ask("looking for the cluster", async () => undefined)
    .catch((cause: unknown) => {
      if (!(cause instanceof Fault) || cause.code !== "cluster.not-found") return;
      throw new CommandFailure(
        `there is no EKS cluster ${name} in this account and Region, and no stack ${stack}`,
        "name another cluster, or where it is (--region, --profile)",
        { cause },
      );
    });
}

const ringing = (alarms: readonly MetricAlarm[]): readonly string[] =>
  alarms
    .filter(({ StateValue: state }) => state === "ALARM")
    .map(({ AlarmName: alarm = "" }) => alarm);

async function runStatus(name: string, options: StatusOptions, io: Io): Promise<ExitCode> {
  const aws = awsAt(options);
  return atCluster(name, options, async (access) => {
    const parts = await deploymentAt(name, aws, options);
    await assertThere(name, parts, access);
    const node = options.node === undefined ? "all" : nodeName(options.node);
    const { group = "all" } = options;
    const settings = await settingsSaid(name, io.cwd, aws, parts);
    const about = { isWanted: wantedBy(options), node, group, settings } as const;
    const way = wayLook({ name, aws, parts }, systemClock);
    const sight = { name, access, aws, parts, way, ...about };
    const form = options.json === true ? "json" : "text";
    const wait = { about: name, why: () => access.awaited.words() };
    const telling = { io, form, wait, look: () => look(sight) } as const;
    if (options.watch === true) {
      await watchStatus(telling);
      return exitCodes.done;
    }
    const status = await tellStatus(telling);
    if (options.html !== undefined) writePage(options.html, statusPage(status), io);
    return codeOf(status);
  });
}

/** `status` has failed if the held instances or the reasons could not be read, or nothing is deployed. */
export const codeOf = ({ gaps }: ClusterStatus): ExitCode =>
  gaps.some(({ hides }) => hides !== "details") ? exitCodes.fault : exitCodes.done;

const wantedBy =
  ({ node, group }: StatusOptions): StatusScope["isWanted"] =>
  (place) =>
    (node === undefined || node === place.node) && (group === undefined || group === place.group);
