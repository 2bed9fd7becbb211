import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { Forecast } from "../../lambda/domain/forecast/forecast.ts";
import { blockersIn } from "../../lambda/domain/forecast/workload.ts";
import {
  type Duration,
  milliseconds,
  seconds,
  shortest,
  wholeSeconds,
} from "../../lambda/domain/time.ts";
import type { Fleet } from "../../lambda/domain/upgrade/fleet.ts";
import { type Candidate, inOrder } from "../../lambda/domain/upgrade/order.ts";
import { batchOf, raised, surgeOf } from "../../lambda/domain/upgrade/sizes.ts";
import { stalenessOf } from "../../lambda/domain/upgrade/staleness.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import type { UpgradePlan } from "../json/upgrade-schema.ts";
import { planned } from "../plan/plan.ts";
import { planSettings } from "../plan/plan-settings.ts";
import { unlooked } from "../plan/reading/balancers.ts";
import { ClusterReader } from "../plan/reading/cluster-reader.ts";
import { holdWords, many, range } from "../plan/words.ts";
import type { StatusLine } from "../status/status-lines.ts";
import { statusText } from "../status/status-text.ts";
import { paintFor } from "../terminal/paint.ts";
import { Screen } from "../terminal/screen.ts";
import type { Wanted } from "./upgrade-flags.ts";
import type { Place, UpgradeSite } from "./upgrade-site.ts";

/** An upgrade that is only looked at. */
interface Foreseen {
  readonly site: UpgradeSite;
  readonly io: Io;
  readonly given: Place;
  readonly wanted: Wanted;
}

/** Tells what an upgrade would do now: the nodes in their order, how long, and every workload that would block it. */
export async function tellPlan(fleet: Fleet, foreseen: Foreseen): Promise<ExitCode> {
  const plan = await upgradePlan(fleet, foreseen);
  const { io, given } = foreseen;
  if (given.json) printJson(io.stdout, plan);
  else {
    const screen = new Screen(io);
    screen.write(statusText(planLines(plan), screen.width, paintFor(io)));
  }
  return plan.exitCode === exitCodes.done ? exitCodes.done : exitCodes.notDone;
}

async function upgradePlan(fleet: Fleet, foreseen: Foreseen): Promise<UpgradePlan> {
  const { options } = foreseen.wanted;
  const { sizes, zones } = fleet;
  const old = await oldOnes(fleet, foreseen);
  const forecasts = await forecastsOf(old, foreseen);
  const [surge, batch] = [surgeOf, batchOf].map((of) => of(options, sizes.desired, zones.length));
  const turns = chunked(old, batch ?? 1);
  const timesOf = (timeOf: (forecast: Forecast) => Duration) =>
    new Map(forecasts.map((one) => [`${one.node.name}`, timeOf(one)]));
  const longestOf = (one: Forecast) => shortest(one.longest.time, options.drainTimeout);
  const blockers = blockersIn(forecasts);
  return {
    ...{ kind: "upgrade-plan", group: fleet.name, sizes, surge: surge ?? 0, batch: batch ?? 1 },
    exitCode: blockers.length === 0 ? exitCodes.done : exitCodes.notDone,
    sizesMeanwhile: { min: sizes.min, ...raised(sizes, surge ?? 0) },
    secondsAtLeast: taking(
      turns,
      timesOf(({ quickest }) => quickest.time),
      options.afterDrain,
    ),
    secondsAtMost: taking(turns, timesOf(longestOf), options.afterDrain),
    turns: turns.map((turn) => turn.map(titleOf)),
    blockers: blockers.map(({ workload, nodes, for: hold }) => ({
      ...{ workload, nodes, why: holdWords(hold) },
    })),
  };
}

const titleOf = ({ node, instance }: Candidate): string =>
  node === "absent" ? instance.id : node.name;

/** The instances that the upgrade would replace, in an order as it would choose it. */
async function oldOnes(fleet: Fleet, { site, wanted }: Foreseen): Promise<readonly Candidate[]> {
  const { to, options } = wanted;
  const targets = await site.targetsFor(fleet, to);
  const nodes = await site.nodesOf(fleet);
  const aged = { begun: systemClock.now(), maxAge: options.maxAge };
  const candidates = fleet.instances.map((instance) => ({
    instance,
    node: nodes.find((one) => one.instance === instance.id) ?? ("absent" as const),
  }));
  const isOld = ({ instance, node }: Candidate): boolean =>
    !instance.state.startsWith("Terminat") &&
    (targets === "all new" || stalenessOf(instance, node, { targets, ...aged }) !== "none");
  const old = candidates.filter(isOld);
  const named = old.flatMap(({ node }) => (node === "absent" ? [] : [node.name]));
  const pods = options.order === "emptiest" ? await site.podCounts(named) : new Map();
  return inOrder(old, { id: fleet.name, order: options.order, pods });
}

/** Foresees the drain of each node as `plan` does, with the time that the upgrade leaves it. */
async function forecastsOf(
  old: readonly Candidate[],
  { site, given, wanted }: Foreseen,
): Promise<readonly Forecast[]> {
  const hosts = await new ClusterReader(site.access.client).nodes();
  const names = old.map(titleOf);
  const nodes = hosts.map(({ node }) => node).filter(({ name }) => names.includes(name));
  const wishes = { [drainSettings.timeout.key]: `${wholeSeconds(wanted.options.drainTimeout)}` };
  const settings = await planSettings(given.cluster, nodes, { ...given, wishes });
  const scope = { kind: "group", name: given.cluster, nodes } as const;
  const balanced = unlooked("name the nodes to `plan`");
  const asking = { asks: "nobody", balanced, now: systemClock.now() } as const;
  return (await planned({ ...asking, scope, hosts, settings }, site.access)).forecasts;
}

/** How long the turns take one after the other: each as long as its slowest node, which is then kept for a while. */
function taking(
  turns: readonly (readonly Candidate[])[],
  times: ReadonlyMap<string, Duration>,
  afterDrain: Duration,
): number {
  const each = turns.map((turn) => Math.max(0, ...turn.map((one) => times.get(titleOf(one)) ?? 0)));
  return wholeSeconds(milliseconds(each.reduce((sum, one) => sum + one + afterDrain, 0)));
}

const chunked = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );

const line = (tone: StatusLine["tone"], depth: number, text: string): StatusLine => ({
  ...{ tone, depth, text },
});

function planLines(plan: UpgradePlan): readonly StatusLine[] {
  const { group, turns, surge, batch, sizes, sizesMeanwhile: raisedTo, blockers } = plan;
  const nodes = turns.flat().length;
  if (nodes === 0) return [line("good", 0, `${group}: no node is old, so nothing would happen`)];
  const time = range(seconds(plan.secondsAtLeast), seconds(plan.secondsAtMost));
  return [
    line("plain", 0, `${group}: ${many(nodes, "node")} of ${sizes.desired} would be replaced`),
    line(
      "plain",
      1,
      `${many(surge, "node")} more meanwhile: desired ${raisedTo.desired}, max ${raisedTo.max}`,
    ),
    line(
      "plain",
      1,
      `${batch} at a time, in ${many(turns.length, "turn")}: ${time}, besides the launches`,
    ),
    ...turns.map((turn, at) => line("faint", 2, `${at + 1}. ${turn.join(", ")}`)),
    ...(blockers.length === 0 ? [line("good", 1, "no workload would block it")] : []),
    ...blockers.flatMap(({ workload, why, nodes: on }) => [
      line("bad", 1, `${workload} would block it on ${many(on.length, "node")}: ${why}`),
    ]),
  ];
}
