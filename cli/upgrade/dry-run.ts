import { wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { Candidate } from "../../lambda/upgrade/old-instances.ts";
import { batchesIn } from "../../lambda/upgrade/unplaced.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { unlooked } from "../plan/balancers.ts";
import { ClusterReader } from "../plan/cluster-reader.ts";
import { planned } from "../plan/plan.ts";
import { planSettings } from "../plan/plan-settings.ts";
import { writeLines } from "../terminal/lines.ts";
import type { Wanted } from "./upgrade-flags.ts";
import { outlookAt, upgradePlan } from "./upgrade-plan.ts";
import { upgradePlanLines } from "./upgrade-plan-lines.ts";
import type { Place, UpgradeSite } from "./upgrade-site.ts";

/** An upgrade that is only looked at. */
interface DryRun {
  readonly site: UpgradeSite;
  readonly io: Io;
  readonly given: Place;
  readonly wanted: Wanted;
}

/** Tells what an upgrade would do now: the nodes in their order, how long, and everything that would block it. */
export async function dryRun(fleet: ScalingGroup, run: DryRun): Promise<ExitCode> {
  const { io, given, site, wanted } = run;
  const targets = await site.targetsFor(fleet, wanted.to);
  const { options } = wanted;
  const settings = site.settingsOf(fleet);
  const outlook = await outlookAt(site.access, { fleet, targets, options, settings });
  const plan = upgradePlan(outlook, await forecastsOf(batchesIn(outlook).flat(), run));
  if (given.json) printJson(io.stdout, plan);
  else writeLines(upgradePlanLines(plan), io);
  return plan.exitCode === exitCodes.done ? exitCodes.done : exitCodes.notDone;
}

/** Foresees the drain of each node as `plan` does, with the time that the upgrade leaves it. */
async function forecastsOf(
  old: readonly Candidate[],
  { site, given, wanted }: DryRun,
): Promise<readonly Forecast[]> {
  const hosts = await new ClusterReader(site.access.client).nodes();
  const names = new Set(old.map(({ node }) => (node === "absent" ? "" : node.name)));
  const nodes = hosts.map(({ node }) => node).filter(({ name }) => names.has(name));
  const wishes = { [drainSettings.timeout.key]: `${wholeSeconds(wanted.options.drainTimeout)}` };
  const settings = await planSettings(given.cluster, nodes, { ...given, wishes });
  const scope = { kind: "group", name: given.cluster, nodes } as const;
  const balanced = unlooked("name the nodes to `plan`");
  const asking = { asks: "nobody", balanced, now: systemClock.now() } as const;
  return (await planned({ ...asking, scope, hosts, settings }, site.access)).forecasts;
}
