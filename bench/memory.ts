/** Measures what a cold drain takes and costs with several sizes of the function; prints a line of JSON for each. */
import { Command } from "commander";
import { coldDrain, type DrainFigures } from "./cold/cold-drain.ts";
import { shareOfMemory, within } from "./cold/cpu-share.ts";
import { ours } from "./cold/drainers.ts";
import { hundredths, medians } from "./cold/figures.ts";
import { count, numbers } from "./option-values.ts";

const { sizes, pods, trials } = new Command("bench/memory.ts")
  .description("Measures a cold drain with several sizes of the function; takes root.")
  .option("--sizes <list>", "of the function, in MB", numbers, [256, 512, 1024])
  .option("--pods <count>", "pods on the node", count, 100)
  .option("--trials <count>", "how often each drain is done; the figures are medians", count, 5)
  .parse()
  .opts<{ sizes: readonly number[]; pods: number; trials: number }>();
// Of arm64 in us-east-1, as docs/performance.md has it.
const dollarsOfGbSecond = 0.0000133334;

for (const size of sizes) process.stdout.write(`${JSON.stringify(await rowOf(size))}\n`);

async function rowOf(size: number): Promise<object> {
  const share = shareOfMemory(size);
  const figures: DrainFigures[] = [];
  for (let trial = 0; trial < trials; trial += 1)
    figures.push(await within(share, (group) => coldDrain(pods, ours, group)));
  const { released, ...others } = medians(figures);
  const seconds = released / 1000;
  const microdollars = seconds * (size / 1024) * dollarsOfGbSecond * 1e6;
  return {
    size,
    pods,
    share: hundredths(share),
    ...others,
    seconds: hundredths(seconds),
    microdollars: Math.round(microdollars * 10) / 10,
  };
}
