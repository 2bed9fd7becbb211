/** Drains a node full of pods, and compares this project with other programs that drain: `npm run bench:drain -- --help`. */
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { type RealWorld, startRealWorld } from "../../test/cluster/real-world.ts";
import { requestsSince } from "../../test/cluster/requests-since.ts";
import { within } from "./cold/cpu-share.ts";
import { type Contender, contenders, sharedContenders } from "./contenders.ts";
import { type DrainOptions, drainOptions } from "./drain-options.ts";
import { observe } from "./observer.ts";
import type { Figures } from "./part.ts";
import { clear, fill, type Load } from "./pod-load.ts";
import { mediansOf, type Result, table } from "./result-table.ts";
import { terminationHandler } from "./termination-handler/contender.ts";

const leaving = { name: "node-a", instanceId: "i-00000000000000001", zone: "eu-west-1a" };
const staying = [
  { name: "node-b", instanceId: "i-00000000000000002", zone: "eu-west-1b" },
  { name: "node-c", instanceId: "i-00000000000000003", zone: "eu-west-1c" },
];

const write = (text: string): boolean => process.stdout.write(`${text}\n`);

async function measure(world: RealWorld, contender: Contender, load: Load): Promise<Result> {
  await fill(world, leaving.name, load);
  const observer = await observe(world.controlPlane.kubeconfig, leaving.name);
  await contender.prepare(world, leaving);
  const [began, done] = await within(load.share, async (group) => {
    const start = Date.now();
    const end = await contender.drain(world, leaving, group);
    coolDown(world);
    return [start, end];
  });
  const gone = await observer.lastGone();
  observer.stop();
  const requests = await requestsSince(world, began, contender.userAgent);
  const result = {
    ...load,
    contender: contender.name,
    gone: (gone - began) / 1000,
    done: (done - began) / 1000,
    requests: requests.length / load.pods,
    refused: requests.filter(({ code }) => code === 429).length,
  };
  await clear(world, leaving.name);
  if (contender.name === contenders[0]?.name) await world.rejoin(leaving);
  return result;
}

/** Ends the processes, and removes their notices, which would come again in the midst of another drain. */
function coolDown(world: RealWorld): void {
  world.coolDown();
  world.aws.sqs.findQueue(demoNode.names.queue).purge();
}

/** A load, and who drains it. */
interface Round {
  readonly load: Load;
  readonly who: readonly Contender[];
}

/** The rounds in their order: every combination of the loads. */
function roundsOf(chosen: DrainOptions): readonly Round[] {
  const given = chosen.handler === undefined ? [] : [terminationHandler(chosen.handler)];
  return chosen.shares.flatMap((share) =>
    loadsOf(chosen, share).map((load) => ({
      load,
      who: share === "all" ? [...contenders, ...given] : sharedContenders,
    })),
  );
}

/** Measures every contender of a round in turn, as often as there are trials. */
async function roundOf(on: RealWorld, { load, who }: Round): Promise<readonly Figures[]> {
  const results: Result[] = [];
  for (let trial = 0; trial < options.trials; trial += 1)
    for (const contender of who) results.push(await measure(on, contender, load));
  return mediansOf(results);
}

const loadsOf = ({ pods, ends, budgets }: DrainOptions, share: Load["share"]) =>
  pods.flatMap((count) =>
    ends.flatMap((end) => budgets.map((budget) => ({ pods: count, ends: end, budget, share }))),
  );

const options = drainOptions(process.argv);
const world = await startRealWorld({ nodes: [leaving, ...staying], group: "bench" });
try {
  const rows: Figures[] = [];
  for (const round of roundsOf(options)) {
    const medians = await roundOf(world, round);
    rows.push(...medians);
    for (const one of medians) write(JSON.stringify(one));
  }
  if (options.json === "table") write(table(rows));
} finally {
  await world.stop();
}
