import { type Duration, milliseconds, shortest, wholeSeconds } from "../../lambda/base/time.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import { blockersIn } from "../../lambda/forecast/workload.ts";
import { nodeInfosOf } from "../../lambda/kubernetes/node-infos.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { Candidate } from "../../lambda/upgrade/old-instances.ts";
import { batchOf, raised, surgeOf } from "../../lambda/upgrade/sizes.ts";
import {
  type Batch,
  batchesIn,
  cordonChoice,
  cordonTexts,
  type Outlook,
  refusesUnplaced,
  unlookedAtPlaces,
  unplacedIn,
  withCordon,
} from "../../lambda/upgrade/unplaced.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { exitCodes } from "../exit-code.ts";
import { holdWords } from "../plan/words.ts";
import { opensAt } from "./upgrade-report.ts";
import type { UpgradePlan } from "./upgrade-schema.ts";

/** Says before an upgrade what it would do: the nodes in their turns, how long, and everything that would block it. */
export function upgradePlan(outlook: Outlook, foreseen: readonly Forecast[]): UpgradePlan {
  const { fleet, options } = outlook;
  const { sizes, zones, name: group } = fleet;
  const turns = batchesIn(outlook);
  const choice = cordonChoice(outlook, turns);
  const names = new Set(turns.flat().map(titleOf));
  const forecasts = foreseen.filter(({ node }) => names.has(node.name));
  const surge = surgeOf(options, sizes.desired, zones.length);
  const blockers = blockersIn(forecasts);
  const unplaced = unplacedIn(withCordon(choice.cordon, outlook), turns);
  const unplacedRefuses = unplaced.length > 0 && refusesUnplaced(options);
  const isClear = blockers.length === 0 && !unplacedRefuses;
  return {
    ...{ kind: "upgrade-plan", group, sizes, surge, unplaced, unplacedRefuses },
    ...{ cordon: choice.cordon, cordonBecause: cordonTexts(choice) },
    opens: opensAt(options, outlook.now),
    ...secondsOf(turns, forecasts, outlook),
    batch: batchOf(options, sizes.desired, zones.length),
    exitCode: isClear ? exitCodes.done : exitCodes.notDone,
    sizesMeanwhile: { min: sizes.min, ...raised(sizes, surge) },
    turns: turns.map((turn) => turn.map(titleOf)),
    blockers: blockers.map(({ workload, pods, nodes, for: hold }) => ({
      ...{ workload, pods, nodes, why: holdWords(hold) },
      budgets: "budgets" in hold ? hold.budgets : [],
    })),
    notLookedAt: unlookedAtPlaces,
  };
}

const titleOf = ({ node, instance }: Candidate): string =>
  node === "absent" ? instance.id : node.name;

function secondsOf(
  turns: readonly Batch[],
  forecasts: readonly Forecast[],
  { options: { drainTimeout, afterDrain } }: Outlook,
): Pick<UpgradePlan, "secondsAtLeast" | "secondsAtMost"> {
  const timesOf = (timeOf: (forecast: Forecast) => Duration) =>
    new Map(forecasts.map((one) => [`${one.node.name}`, timeOf(one)]));
  const quickest = timesOf((one) => one.quickest.time);
  const longest = timesOf((one) => shortest(one.longest.time, drainTimeout));
  return {
    secondsAtLeast: taking(turns, quickest, afterDrain),
    secondsAtMost: taking(turns, longest, afterDrain),
  };
}

/** How long the turns take one after the other: each as long as its slowest node, which is then kept for a while. */
function taking(
  turns: readonly Batch[],
  times: ReadonlyMap<string, Duration>,
  afterDrain: Duration,
): number {
  const each = turns.map((turn) => Math.max(0, ...turn.map((one) => times.get(titleOf(one)) ?? 0)));
  return wholeSeconds(milliseconds(each.reduce((sum, one) => sum + one + afterDrain, 0)));
}

/** A group before its upgrade, as its cluster is now. Nobody knows the id of the upgrade yet, so chance is that of its name. */
export async function outlookAt(
  { client }: Pick<ClusterAccess, "client">,
  upgrade: Pick<Outlook, "fleet" | "options" | "settings" | "targets">,
): Promise<Outlook> {
  const { name: id, instances } = upgrade.fleet;
  const own = instances.map((one) => one.id);
  const nodeInfos = await nodeInfosOf(client, own);
  return { ...upgrade, id, nodeInfos, now: systemClock.now() };
}
