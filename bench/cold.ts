/** Measures the cold start of the function and cold drains beside a bare script; prints a line of JSON for each row. */
import { parseArgs } from "node:util";
import { coldDrain, type DrainFigures } from "./cold/cold-drain.ts";
import { within } from "./cold/cpu-share.ts";
import { bareScript, ours } from "./cold/drainers.ts";
import { medians } from "./cold/figures.ts";
import { importFigures } from "./cold/import-figures.ts";
import { readyFigures } from "./cold/ready-figures.ts";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "60,100,250" },
    trials: { type: "string", default: "5" },
    shares: { type: "string", default: "all,0.29" },
  },
});
const trials = Number(values.trials);
const write = (row: object): boolean => process.stdout.write(`${JSON.stringify(row)}\n`);

const start = await readyFigures(trials);
write({ what: "import", ...importFigures(3 * trials), ...start });

for (const share of values.shares.split(","))
  for (const pods of values.pods.split(",").map(Number)) write(await rowOf(pods, share));

async function rowOf(pods: number, share: string): Promise<object> {
  const cores = share === "all" ? share : Number(share);
  const [us, script]: [DrainFigures[], DrainFigures[]] = [[], []];
  for (let trial = 0; trial < trials; trial += 1) {
    us.push(await within(cores, (group) => coldDrain(pods, ours, group)));
    script.push(await within(cores, (group) => coldDrain(pods, bareScript, group)));
  }
  const { cpu, evicted, released: _, ...others } = medians(us);
  const { cpu: scriptCpu, evicted: scriptEvicted } = medians(script);
  const cpuOfPod = Math.round(((cpu - start.readyCpu) / pods) * 100) / 100;
  const ratio = Math.round((evicted / scriptEvicted) * 100) / 100;
  return {
    what: "drain",
    pods,
    share,
    ...others,
    cpu,
    cpuOfPod,
    evicted,
    scriptCpu,
    scriptEvicted,
    ratio,
  };
}
