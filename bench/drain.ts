/** Drains a node full of pods, and compares this project with other programs that drain: `npm run bench:drain -- --help`. */
import { setTimeout } from "node:timers/promises";
import type { AuditEntry } from "../test/cluster/audit-log.ts";
import { type RealWorld, startRealWorld } from "../test/cluster/real-world.ts";
import { type Contender, contenders, spotContenders } from "./contenders.ts";
import { type DrainOptions, drainOptions } from "./drain-options.ts";
import { observe } from "./observer.ts";
import { clear, fill, type Load } from "./pod-load.ts";
import { beside, type Result, table } from "./result-table.ts";

const leaving = { name: "node-a", instanceId: "i-00000000000000001", zone: "eu-west-1a" };
const staying = [
  { name: "node-b", instanceId: "i-00000000000000002", zone: "eu-west-1b" },
  { name: "node-c", instanceId: "i-00000000000000003", zone: "eu-west-1c" },
];

const write = (text: string): boolean => process.stdout.write(`${text}\n`);

/** The requests of a contender since a time; a watch has two log entries, but counts once. */
async function requestsOf(world: RealWorld, { userAgent }: Contender, since: number) {
  const audit = await world.controlPlane.audit({ userAgent });
  const began = ({ stage, verb }: AuditEntry) =>
    verb === "watch" ? stage === "ResponseStarted" : stage === "ResponseComplete";
  return audit.filter((entry) => Date.parse(entry.at) >= since && began(entry));
}

async function measure(world: RealWorld, contender: Contender, load: Load): Promise<Result> {
  await fill(world, leaving.name, load);
  const observer = await observe(world.controlPlane.kubeconfig, leaving.name);
  const began = Date.now();
  const done = await contender.drain(world, leaving);
  await setTimeout(300);
  observer.stop();
  const requests = await requestsOf(world, contender, began);
  const result = {
    ...load,
    contender: contender.name,
    gone: (observer.lastGone() - began) / 1000,
    done: (done - began) / 1000,
    requests: requests.length / load.pods,
    refused: requests.filter(({ code }) => code === 429).length,
  };
  await clear(world, leaving.name);
  if (contender.name === contenders[0]?.name) await world.rejoin(leaving);
  return result;
}

/** A load, and who drains it. */
interface Round {
  readonly load: Load;
  readonly who: readonly Contender[];
}

// What the two minutes of a Spot instance have to suffice for.
const spot: Round = { load: { pods: 100, ends: 30, budget: "none" }, who: spotContenders };

/** The rounds in their order: every combination of the loads, and the Spot instance, once for each trial. */
function roundsOf({ pods, ends, budgets, trials, ...options }: DrainOptions): readonly Round[] {
  const loads = pods.flatMap((count) =>
    ends.flatMap((end) => budgets.map((budget) => ({ pods: count, ends: end, budget }))),
  );
  const rounds = loads.map((load): Round => ({ load, who: contenders }));
  if (options.spot === "too") rounds.push(spot);
  return rounds.flatMap((round) => Array.from({ length: trials }, () => round));
}

const options = drainOptions(process.argv);
const world = await startRealWorld({ nodes: [leaving, ...staying], group: "bench" });
try {
  const results: Result[] = [];
  for (const { load, who } of roundsOf(options)) {
    const round: Result[] = [];
    for (const contender of who) round.push(await measure(world, contender, load));
    results.push(...round);
    for (const result of round) write(JSON.stringify(beside(result, round)));
  }
  if (options.json === "table") write(table(results));
} finally {
  await world.stop();
}
