import { describe, expect, it } from "vitest";
import { between, type Duration, seconds } from "../../../lambda/domain/time.ts";
import { throttled } from "../../../sandbox/cluster/api/planned-faults.ts";
import { endingsIn } from "../../world/evidence.ts";
import { well } from "../../world/fault-plan.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy } from "../../world/workloads.ts";

const podsOfNode = 30;
/** How many requests the API server takes in a second; it answers the others with 429. */
const rate = 400;

function throttle(world: VirtualWorld): void {
  let second = 0;
  let taken = 0;
  world.faults = ({ to }) => {
    if (to !== "cluster") return well;
    const now = Math.floor(world.timeline.now() / 1000);
    taken = now === second ? taken + 1 : 1;
    second = now;
    return taken > rate ? { kind: "cluster-fault", fault: throttled(1), moment: "before" } : well;
  };
}

/** Terminates nodes that are full of pods at once, and drains them all. */
async function burst(nodes: number) {
  const world = new VirtualWorld({ nodes: nodes + Math.ceil(nodes / 4) });
  const leaving = Array.from({ length: nodes }, (_, index) => index + 1);
  deploy(world, { name: "web", on: Object.fromEntries(leaving.map((node) => [node, podsOfNode])) });
  world.cluster.addBudget({ name: "web", maxUnavailable: "50%" });
  world.pass(seconds(10));
  const start = world.timeline.now();
  throttle(world);
  for (const node of leaving) world.terminate(node);
  await world.work();
  const sent = world.requests.filter(({ to }) => to === "cluster");
  const lastOf = (verb: string): Duration =>
    between(start, sent.findLast(({ what }) => what.startsWith(verb))?.at ?? start);
  const released = world.told("notice-done").at(-1)?.at ?? start;
  return {
    endings: endingsIn(world),
    requestsOfPod: sent.length / (nodes * podsOfNode),
    receivesOfNotice: world.told("pass-started").length / nodes,
    marked: lastOf("patch nodes"),
    evicted: lastOf("create pods/eviction"),
    released: between(start, released),
  };
}

describe("nodes that end at once, before an API server that throttles,", () => {
  it.each([10, 100])(
    "are all drained, with fewer than three requests for each pod: %d nodes",
    async (nodes) => {
      const { endings, ...figures } = await burst(nodes);
      process.stdout.write(`${JSON.stringify({ part: "bursts", nodes, rate, ...figures })}\n`);
      expect(endings).toEqual(Array.from({ length: nodes }, () => "CONTINUE by call"));
      expect(figures.requestsOfPod).toBeLessThanOrEqual(2.75);
      expect(figures.receivesOfNotice).toBeLessThanOrEqual(2);
      expect(figures.released).toBeLessThanOrEqual(seconds(30));
    },
  );
});
