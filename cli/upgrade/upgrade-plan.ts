import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { type Duration, milliseconds, shortest, wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import { blockersIn } from "../../lambda/forecast/workload.ts";
import { operatorText, type ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { zonesNamed } from "../../lambda/group-work/zone-names.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import type { Candidate } from "../../lambda/upgrade/old-instances.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { batchOf, raised, surgeOf } from "../../lambda/upgrade/sizes.ts";
import {
  awaitingShift,
  batchesIn,
  boundIn,
  type CandidateBatch,
  cordonChoice,
  cordonTexts,
  type Outlook,
  refusesUnplaced,
  unlookedAtPlaces,
  unplacedIn,
  withCordon,
} from "../../lambda/upgrade/unplaced.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import { awsParts, instanceOf } from "../connect/aws-parts.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { readFrom } from "../connect/found.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { unlooked } from "../plan/balancers.ts";
import { ClusterReader, unreadPods } from "../plan/cluster-reader.ts";
import { planned } from "../plan/plan.ts";
import { type Foreseen, nothingBeside, type PlanPart } from "../plan/plan-part.ts";
import { planSettings } from "../plan/plan-settings.ts";
import { holdWords } from "../plan/words.ts";
import { line, writeLines } from "../terminal/lines.ts";
import { shiftedZonesAt } from "./shifted-zones.ts";
import type { UpgradeRequest } from "./upgrade-flags.ts";
import { upgradePlanLines } from "./upgrade-plan-lines.ts";
import { opensAt } from "./upgrade-report.ts";
import type { UpgradePlan } from "./upgrade-schema.ts";
import type { UpgradeSite, UpgradeSiteOptions } from "./upgrade-site.ts";

interface PlannedOutlook extends Outlook {
  /** The namespaces whose pods were not read. */
  readonly leftOut: readonly string[];
  /** Why it is not known which zones traffic is shifted away from; empty if it is. */
  readonly shiftsUnread: string;
}

/**
 * Makes the plan of an upgrade: the nodes in their order, the time, and everything that would block
 * it.
 */
function upgradePlan(outlook: PlannedOutlook, foreseen: readonly Forecast[]): UpgradePlan {
  const { group, options } = outlook;
  const { sizes, zones } = group;
  const batches = batchesIn(outlook);
  const choice = cordonChoice(outlook, batches);
  const names = new Set(batches.flat().map(titleOf));
  const forecasts = foreseen.filter(({ node }) => names.has(node.name));
  const surge = surgeOf(options, sizes.desired, zones.length);
  const blockers = blockersIn(forecasts);
  const unplaced = unplacedIn(withCordon(choice.cordon, outlook), batches);
  const unplacedRefuses = unplaced.length > 0 && refusesUnplaced(options);
  const isClear = blockers.length === 0 && !unplacedRefuses;
  return {
    kind: "upgrade-plan",
    group: group.name,
    sizes,
    surge,
    unplaced,
    unplacedRefuses,
    bound: boundIn(outlook, batches),
    cordon: choice.cordon,
    cordonBecause: cordonTexts(choice),
    opens: opensAt(options, outlook.now),
    shifted: shiftedIn(outlook),
    ...secondsOf(batches, forecasts, outlook),
    batch: batchOf(options, sizes.desired, zones.length),
    exitCode: isClear ? exitCodes.done : exitCodes.notDone,
    sizesMeanwhile: { min: sizes.min, ...raised(sizes, surge) },
    turns: batches.map((batch) => batch.map(titleOf)),
    blockers: blockers.map(({ workload, pods, nodes, for: hold }) => ({
      workload,
      pods,
      nodes,
      why: holdWords(hold),
      budgets: "budgets" in hold ? hold.budgets : [],
    })),
    notLookedAt: [
      ...unlookedAtPlaces,
      ...outlook.leftOut.map(unreadPods),
      ...(outlook.shiftsUnread === "" ? [] : [`zonal shifts (${outlook.shiftsUnread})`]),
    ],
  };
}

/** The old nodes that wait for the end of a zonal shift, by their zones. */
function shiftedIn(outlook: Outlook): UpgradePlan["shifted"] {
  const zones = Map.groupBy(awaitingShift(outlook), ({ instance }) => instance.zone);
  return Array.from(zones, ([zone, old]) => ({ zone, nodes: old.map(titleOf) }));
}

const titleOf = ({ node, instance }: Candidate): string =>
  node === "absent" ? instance.id : node.name;

function secondsOf(
  batches: readonly CandidateBatch[],
  forecasts: readonly Forecast[],
  { options: { drainTimeout, afterDrain } }: Outlook,
): Pick<UpgradePlan, "secondsAtLeast" | "secondsAtMost"> {
  const timesOf = (timeOf: (forecast: Forecast) => Duration) =>
    new Map(forecasts.map((one) => [`${one.node.name}`, timeOf(one)]));
  const quickest = timesOf((one) => one.quickest.time);
  const longest = timesOf((one) => shortest(one.longest.time, drainTimeout));
  return {
    secondsAtLeast: taking(batches, quickest, afterDrain),
    secondsAtMost: taking(batches, longest, afterDrain),
  };
}

/** The time of the batches one after the other. Each takes as long as its slowest node, which is then kept for a while. */
function taking(
  batches: readonly CandidateBatch[],
  times: ReadonlyMap<string, Duration>,
  afterDrain: Duration,
): number {
  const each = batches.map((batch) =>
    Math.max(0, ...batch.map((one) => times.get(titleOf(one)) ?? 0)),
  );
  return wholeSeconds(milliseconds(each.reduce((sum, one) => sum + one + afterDrain, 0)));
}

/**
 * A group before its upgrade, in its cluster as it is now. The upgrade has no id yet, so the group's name seeds the random
 * order.
 */
async function outlookAt(
  { client, clock }: Pick<ClusterAccess, "client" | "clock">,
  aws: AwsAccess,
  upgrade: Pick<Outlook, "group" | "options" | "settings" | "targets">,
): Promise<PlannedOutlook> {
  const { name: id, instances } = upgrade.group;
  const own = instances.map((one) => one.id);
  const groupNodes = new KubeGroupNodes(client, awsParts(aws).ec2);
  const [nodeInfos, away] = await Promise.all([groupNodes.nodeInfos(own), shiftedZonesAt(aws)]);
  const leftOut = groupNodes.unreadNamespaces();
  const nodes = nodeInfos.map(({ node }) => node);
  const shifts =
    away.kind === "known"
      ? { shifted: zonesNamed(away.value, nodes), shiftsUnread: "" }
      : { shifted: [], shiftsUnread: away.why };
  return { ...upgrade, id, nodeInfos, leftOut, now: clock.now(), ...shifts };
}

/** The maintenance window that the user considers. */
export interface WindowOption {
  readonly window?: string;
}

/**
 * Makes the plan of an upgrade of all nodes of a group, with the default options except for the
 * drain timeout and the window.
 */
export async function plannedUpgrade(
  { scope, cluster, drains, settings: known, access, aws }: Foreseen,
  { window }: WindowOption,
): Promise<PlanPart> {
  const none = window === undefined ? nothingBeside : unlookedAt(noGroup);
  const [first] = scope.nodes;
  if (scope.kind !== "group" || cluster === "" || first === undefined) return none;
  const found = await readFrom("describing the group", "autoscaling:Describe*", () =>
    scalingGroupOf(scope.nodes, aws),
  );
  if (found.kind === "unknown") return unlookedAt(found.why);
  if (found.value === "absent") return none;
  const { name, operator } = found.value;
  if (operator !== "")
    return { ...none, remarks: [`an upgrade is refused: ${operatorText({ name, operator })}`] };
  const settings = known.settingsFor(first);
  const options = {
    ...usualOptions,
    drainTimeout: settings.timeout,
    window: tryWindow(window ?? "always") ?? "always",
  };
  const upgrade = { group: found.value, targets: "all new", options, settings } as const;
  const outlook = await outlookAt(access, aws, upgrade);
  const plan = upgradePlan(outlook, (await drains).forecasts);
  const title = line("plain", 0, "If all its nodes were upgraded:");
  return { ...nothingBeside, objects: [plan], pages: [[title, ...upgradePlanLines(plan, 1)]] };
}

const unlookedAt = (why: string): PlanPart => ({
  ...nothingBeside,
  notLookedAt: [`the upgrade of the group (${why})`],
});

const noGroup =
  "--window: no Auto Scaling group is named that the function upgrades, or no --cluster";

/** The group of these nodes; `absent` if EKS upgrades it itself. */
async function scalingGroupOf(
  nodes: readonly Node[],
  aws: AwsAccess,
): Promise<ScalingGroup | "absent"> {
  const ids = nodes.filter(({ providerId }) => providerId.startsWith("aws:")).map(instanceOf);
  if (ids.length === 0) return "absent";
  const memberships = [...(await awsParts(aws).groups.memberships(ids)).values()];
  const names = memberships.flatMap((one) => (one.kind === "member" ? [one.group] : []));
  const [name, ...others] = new Set(names);
  if (name === undefined || others.length > 0) return "absent";
  const group = await new FullAutoScalingGroups(new AutoScalingClient(aws)).withPool(name);
  return group === "absent" || "eks:nodegroup-name" in group.tags ? "absent" : group;
}

interface DryRun {
  readonly site: UpgradeSite;
  readonly io: Io;
  readonly given: UpgradeSiteOptions;
  readonly wanted: UpgradeRequest;
}

/** Reports what an upgrade would do now: the nodes in their order, the time, and everything that would block it. */
export async function dryRun(group: ScalingGroup, run: DryRun): Promise<ExitCode> {
  const { io, given, site, wanted } = run;
  const targets = await site.targetsFor(group, wanted.to);
  const { options } = wanted;
  const settings = site.settingsOf(group);
  const upgrade = { group, targets, options, settings };
  const outlook = await outlookAt(site.access, awsAt(given), upgrade);
  const plan = upgradePlan(outlook, await forecastsOf(batchesIn(outlook).flat(), run));
  if (given.json) printJson(io.stdout, plan);
  else writeLines(upgradePlanLines(plan), io);
  return plan.exitCode === exitCodes.done ? exitCodes.done : exitCodes.notDone;
}

/** Forecasts the drain of each node as `plan` does, with the timeout of the upgrade. */
async function forecastsOf(
  old: readonly Candidate[],
  { site, given, wanted }: DryRun,
): Promise<readonly Forecast[]> {
  const hosts = await new ClusterReader(site.access).nodes();
  const names = new Set(old.map(({ node }) => (node === "absent" ? "" : node.name)));
  const nodes = hosts.map(({ node }) => node).filter(({ name }) => names.has(name));
  const wishes = { [drainSettings.timeout.key]: `${wholeSeconds(wanted.options.drainTimeout)}` };
  const settings = await planSettings(given.cluster, nodes, { ...given, wishes });
  const scope = { kind: "group", name: given.cluster, nodes } as const;
  const balanced = unlooked("name the nodes to `plan`");
  const asking = { asks: "nobody", balanced, now: site.access.clock.now() } as const;
  return (await planned({ ...asking, scope, hosts, settings }, site.access)).forecasts;
}
