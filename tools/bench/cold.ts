/** Measures the cold start of the function and cold drains beside a bare script; prints a line of JSON for each row. */
import { Command } from "commander";
import { coldDrain, type DrainFigures } from "./cold/cold-drain.ts";
import { within } from "./cold/cpu-share.ts";
import { bareScript, ours } from "./cold/drainers.ts";
import { hundredths, medians, pairedRatio } from "./cold/figures.ts";
import { importFigures } from "./cold/import-figures.ts";
import { readyFigures } from "./cold/ready-figures.ts";
import type { DrainOptions } from "./drain-options.ts";
import { count, numbers, sharesIn } from "./option-values.ts";

const options = new Command("tools/bench/cold.ts")
  .description("Measures the import, and drains of new processes beside a bare script.")
  .option("--pods <counts>", "pods on the node", numbers, [60, 100, 250])
  .option("--trials <count>", "how often each drain is done; the figures are medians", count, 5)
  .option("--shares <shares>", "of a core; less than all takes root", sharesIn, ["all", 0.29])
  .parse()
  .opts<Pick<DrainOptions, "pods" | "shares" | "trials">>();
const { trials } = options;
const write = (row: object): boolean => process.stdout.write(`${JSON.stringify(row)}\n`);

const start = await readyFigures(trials);
write({ what: "import", ...importFigures(3 * trials), ...start });

for (const share of options.shares)
  for (const pods of options.pods) write(await rowOf(pods, share));

async function rowOf(pods: number, share: number | "all"): Promise<object> {
  const [us, script]: [DrainFigures[], DrainFigures[]] = [[], []];
  for (let trial = 0; trial < trials; trial += 1) {
    us.push(await within(share, (group) => coldDrain(pods, ours, group)));
    script.push(await within(share, (group) => coldDrain(pods, bareScript, group)));
  }
  const { cpu, evicted, released: _, ...others } = medians(us);
  const { cpu: scriptCpu, evicted: scriptEvicted } = medians(script);
  const cpuOfPod = hundredths((cpu - start.readyCpu) / pods);
  const ratio = pairedRatio(
    us.map((one) => one.evicted),
    script.map((one) => one.evicted),
  );
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
    ...ratio,
  };
}
