import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { Command } from "commander";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { faultOf } from "../../lambda/base/fault.ts";
import { type AwsAccess, awsAt, regionOf } from "../connect/aws-access.ts";
import { blockInstancesAction, blocksAction } from "../connect/blocks-at.ts";
import { atCluster, timeAt } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type Found, isMissingStack, unknown } from "../connect/found.ts";
import { stackEventsAction } from "../connect/stack-state.ts";
import type { ExitCode } from "../exit-code.ts";
import { allOption, type FleetCluster, ofAll, oneOrAll } from "../fleet/fleet.ts";
import { settingsSaid } from "../fleet/said-settings.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { tryHindrance } from "../remedies.ts";
import { repairActionsLines } from "../status/status-command.ts";
import { line, writeLines } from "../terminal/lines.ts";
import { Screen } from "../terminal/screen.ts";
import { waitWithWords } from "../terminal/wait-with-words.ts";
import { type Link, links, linkTable } from "./links.ts";
import { type LinkFinding, reportLines, reportLinesOfOne, reportOf } from "./report.ts";
import { type ClusterReach, siteAt } from "./site.ts";
import type { LinkVerdict } from "./verdict.ts";

/** The AWS actions that `doctor` needs; the construct's `grantDoctor` allows them. */
export const doctorActions: readonly string[] = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeLifecycleHooks",
  "cloudformation:DescribeStacks",
  "cloudformation:ListStackResources",
  "cloudwatch:DescribeAlarms",
  blocksAction,
  "ec2:DescribeRouteTables",
  "ec2:DescribeSecurityGroups",
  "ec2:DescribeSubnets",
  "ec2:DescribeVpcEndpoints",
  "eks:DescribeAccessEntry",
  "eks:DescribeCluster",
  "events:DescribeRule",
  "events:ListTargetsByRule",
  "iam:SimulatePrincipalPolicy",
  "kms:DescribeKey",
  "lambda:GetEventSourceMapping",
  "lambda:GetFunctionConcurrency",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sns:GetSubscriptionAttributes",
  "sns:GetTopicAttributes",
  "sns:ListSubscriptionsByTopic",
  "sqs:GetQueueAttributes",
];

/** The Kubernetes rights that `doctor` needs. */
export const doctorRights = [
  {
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
  },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    verbs: ["get"],
  },
  { apiGroups: [""], resources: ["configmaps"], resourceNames: ["aws-auth"], verbs: ["get"] },
  // Their versions, and their conditions if the deployment repairs.
  { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
] as const;

const examples = `
The command follows a notice from the hooks of the groups to the release of an instance, and judges each link on its way.
It only reads, and works even if the function is broken. What it may not read it calls unknown, and names the missing
permission. The construct's grantDoctor allows what it needs in AWS:
${doctorActions.map((action) => `  ${action}`).join("\n")}
  ${stackEventsAction}, where the stack has failed
  ${blockInstancesAction}, where a Capacity Block is active
${repairActionsLines}

In the cluster it needs:
${doctorRights.map(({ verbs, resources }) => `  ${verbs.join()} ${resources.join(", ")}`).join("\n")}

Examples:
  npx eks-node-lifecycle doctor demo
  npx eks-node-lifecycle doctor --all
  npx eks-node-lifecycle doctor demo --json
  npx eks-node-lifecycle doctor demo --stack Nodes --region eu-west-1

Exit codes:
  0  all is well
  1  nothing that was read is broken, but something could not be read; or the command itself failed
  2  wrong usage
  3  a link is broken, or the stack is not there`;

/** The command that checks each link from a hook to the release of its instance. */
export const doctorCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addConnectionOptions(
    new Command("doctor")
      .description("check each link from the hook to the released instance, and say how to mend it")
      .argument("[cluster]", "the name of the EKS cluster")
      .addOption(allOption()),
  )
    .addHelpText("after", examples)
    .action(
      async (
        name: string | undefined,
        options: ConnectionOptions & { readonly all?: boolean },
        command: Command,
      ) => {
        const one = oneOrAll(name, options, command);
        ended(
          one === undefined
            ? await ofAll(io, options, {
                work: (member) => examined(member, "not well", io),
                failed: (cluster, { message, remedy }) =>
                  writeLines(
                    [
                      line("bad", 0, `${cluster}: ${message}`),
                      line("plain", 1, `remedy: ${remedy}`),
                    ],
                    io,
                  ),
              })
            : await examined({ name: one, options }, "each", io),
        );
      },
    );

/** Checks a cluster and reports its links, or only those with a problem. */
async function examined(
  { name, options }: FleetCluster,
  which: "each" | "not well",
  io: Io,
): Promise<ExitCode> {
  const screen = new Screen(io);
  let count = 0;
  const done = (): void => {
    count += 1;
    if (which === "each" && options.json !== true)
      screen.show([`${count} of ${links.length} links examined`]);
  };
  const aws = awsAt(options);
  const region = await regionOf(new EKSClient(aws));
  const reach = { name, region, aws, cwd: io.cwd };
  const tell = (text: string) => screen.complain(text);
  const findings = await findingsAt(reach, options, { done, tell }).finally(() => screen.show([]));
  const report = reportOf({ cluster: name, region, which }, findings);
  if (options.json === true) printJson(io.stdout, report);
  else writeLines(which === "each" ? reportLines(report) : reportLinesOfOne(report), io);
  return report.exitCode;
}

async function findingsAt(
  { name, region, aws, cwd }: Pick<ClusterReach, "aws" | "name" | "region"> & Pick<Io, "cwd">,
  options: ConnectionOptions,
  { done, tell }: { readonly done: () => void; readonly tell: (text: string) => void },
): Promise<readonly LinkFinding[]> {
  const missing = await credentialsMissing(name, aws);
  if (missing !== "none") return [missing];
  return atCluster(name, options, (access) =>
    waitWithWords({ about: name, why: () => access.awaited.words(), tell }, async () => {
      const parts = await deploymentAt(name, aws, options);
      const settings = await settingsSaid(name, cwd, aws, parts);
      const now = await timeAt(access);
      return examine({ name, region, aws, access, parts, settings, now }, done);
    }),
  );
}

/** Without valid credentials nothing else can be read. */
async function credentialsMissing(name: string, aws: AwsAccess): Promise<LinkFinding | "none"> {
  try {
    await new EKSClient(aws).send(new DescribeClusterCommand({ name }));
  } catch (cause) {
    const reason = tryHindrance(awsFault("looking for credentials of AWS", cause));
    if (reason !== undefined)
      return { link: "credentials", state: "unknown", found: reason.why, remedy: reason.remedy };
  }
  return "none";
}

/** Checks all links at the same time, and calls `done` after each. A link that cannot be read does not hide the others. */
async function examine(reach: ClusterReach, done: () => void): Promise<readonly LinkFinding[]> {
  const site = await siteAt(reach);
  const examined = links.map(async (link) => {
    const verdict = await linkTable[link].check(site).catch(unjudged);
    done();
    return findingsOf(link, verdict);
  });
  return (await Promise.all(examined)).flat();
}

const unjudged = (cause: unknown): Found<LinkVerdict> =>
  unknown(`what was read cannot be judged: ${faultOf(cause).message}`, "look at it yourself");

/**
 * Reported for each link of a missing stack; the finding about the stack itself gives the reason.
 */
const notDeployed = { found: "not deployed", remedy: "deploy the stack, as above" };

/** If there is no stack, links that depend on it are absent rather than unknown. */
function findingsOf(link: Link, verdict: Found<LinkVerdict>): readonly LinkFinding[] {
  if (verdict.kind === "unknown") {
    const { why: found, remedy } = verdict;
    if (!isMissingStack(verdict)) return [{ link, state: "unknown", found, remedy }];
    const why = link === "stack" ? { found, remedy } : notDeployed;
    return [{ link, state: "absent", ...why }];
  }
  const { well, problems, notes = [] } = verdict.value;
  return [
    ...(problems.length === 0 ? [{ link, state: "ok", found: well, remedy: "" } as const] : []),
    ...problems.map((problem) => ({ link, state: "broken", ...problem }) as const),
    ...notes.map((note) => ({ link, state: "note", ...note }) as const),
  ];
}
