/** Measures what a cold drain takes and costs with several sizes of the function; prints a line of JSON for each. */
import { parseArgs } from "node:util";
import { coldDrain, type DrainFigures } from "./cold/cold-drain.ts";
import { shareOfMemory, within } from "./cold/cpu-share.ts";
import { ours } from "./cold/drainers.ts";
import { medians } from "./cold/figures.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "256,512,1024" },
    pods: { type: "string", default: "100" },
    trials: { type: "string", default: "5" },
  },
});
const pods = Number(values.pods);
// Of arm64 in us-east-1, as docs/performance.md has it.
const dollarsOfGbSecond = 0.0000133334;

for (const size of values.sizes.split(",").map(Number))
  process.stdout.write(`${JSON.stringify(await rowOf(size))}\n`);

async function rowOf(size: number): Promise<object> {
  const share = shareOfMemory(size);
  const figures: DrainFigures[] = [];
  for (let trial = 0; trial < Number(values.trials); trial += 1)
    figures.push(await within(share, (group) => coldDrain(pods, ours, group)));
  const { released, ...others } = medians(figures);
  const seconds = released / 1000;
  const microdollars = seconds * (size / 1024) * dollarsOfGbSecond * 1e6;
  return {
    size,
    pods,
    share: Math.round(share * 100) / 100,
    ...others,
    seconds: Math.round(seconds * 100) / 100,
    microdollars: Math.round(microdollars * 10) / 10,
  };
}
