/** Drains a node full of pods, and compares this project with other programs that drain: `npm run bench:drain -- --help`. */
import { setTimeout } from "node:timers/promises";
import type { AuditEntry } from "../test/cluster/audit-log.ts";
import { type RealWorld, startRealWorld } from "../test/cluster/real-world.ts";
import { type Contender, contenders, kubectl, spot } from "./contenders.ts";
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
  if (contender.instance === "terminates") await world.rejoin(leaving);
  return result;
}

/** The loads in their order: every combination, once for each trial. */
const roundsOf = ({ pods, ends, budgets, trials }: DrainOptions): readonly Load[] =>
  pods
    .flatMap((count) =>
      ends.flatMap((end) => budgets.map((budget) => ({ pods: count, ends: end, budget }))),
    )
    .flatMap((load) => Array.from({ length: trials }, () => load));

/** Loads, and who drains them. */
interface Round {
  readonly load: Load;
  readonly by: readonly Contender[];
}

/** A node full of pods that take all of their usual grace, and have two minutes. */
const interrupted: Round = {
  load: { pods: 100, ends: 30, budget: "none" },
  by: [spot, kubectl],
};

function allRounds(options: DrainOptions): readonly Round[] {
  const usual = roundsOf(options).map((load) => ({ load, by: contenders }));
  return options.only === "spot" ? [interrupted] : [...usual, interrupted];
}

const options = drainOptions(process.argv);
const world = await startRealWorld({ nodes: [leaving, ...staying], group: "bench" });
try {
  const results: Result[] = [];
  for (const { load, by } of allRounds(options)) {
    const round: Result[] = [];
    for (const contender of by) round.push(await measure(world, contender, load));
    results.push(...round);
    for (const result of round) write(JSON.stringify(beside(result, round)));
  }
  if (options.json === "table") write(table(results));
} finally {
  await world.stop();
}
