/** Drains many nodes of a real control plane that end at once: `npm run bench -- --parts nodes`. */
import { Command } from "commander";
import { endedAtOnce } from "../../test/cluster/ended-at-once.ts";
import { ProcessFigures } from "../../test/cluster/process-figures.ts";
import type { RealWorld } from "../../test/cluster/real-world.ts";
import { requestsSince } from "../../test/cluster/requests-since.ts";
import { hundredths } from "./cold/figures.ts";
import { count, numbers } from "./option-values.ts";

const { nodes, pods } = new Command("tools/bench/many-nodes.ts")
  .description(
    "Drains nodes that end at once; as many processes of the function as the stack allows work on them.",
  )
  .option("--nodes <counts>", "nodes that end", numbers, [10, 50])
  .option("--pods <count>", "pods of a node, of one Deployment without a budget", count, 30)
  .parse()
  .opts<{ nodes: readonly number[]; pods: number }>();

const passesOf = ({ log }: RealWorld): number =>
  log.filter((line) => line.includes('"kind":"pass-started"')).length;

async function rowOf(nodesAtOnce: number): Promise<object> {
  const figures = new ProcessFigures();
  const ended = await endedAtOnce({ count: nodesAtOnce, podsOfNode: pods });
  const { world, began } = ended;
  try {
    const released = Date.now();
    const requests = await requestsSince(world, began);
    const marks = requests.filter(({ verb, resource }) => verb === "patch" && resource === "nodes");
    const evictions = requests.filter(({ subresource }) => subresource === "eviction");
    const secondsUntil = (at: number): number => hundredths((at - began) / 1000);
    const { memory, read, cpu } = figures.figures();
    return {
      nodes: nodesAtOnce,
      podsOfNode: pods,
      requestsPerPod: hundredths(requests.length / evictions.length),
      besides: hundredths((requests.length - evictions.length) / nodesAtOnce),
      conflicts: marks.filter(({ code }) => code === 409).length,
      refused: requests.filter(({ code }) => code === 429).length,
      receives: hundredths(passesOf(world) / nodesAtOnce),
      marked: secondsUntil(Date.parse(marks.findLast(({ code }) => code === 200)?.at ?? "")),
      evicted: secondsUntil(Date.parse(evictions.at(-1)?.at ?? "")),
      released: secondsUntil(released),
      memoryMb: Math.round(memory),
      readMb: Math.round(read * 10) / 10,
      cpuSeconds: hundredths(cpu),
    };
  } finally {
    figures.stop();
    await world.stop();
  }
}

for (const atOnce of nodes) process.stdout.write(`${JSON.stringify(await rowOf(atOnce))}\n`);
