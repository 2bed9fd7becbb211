import { describe, expect, it } from "vitest";
import { between, type Duration, seconds } from "../../../lambda/domain/time.ts";
import { throttled } from "../../../sandbox/cluster/api/planned-faults.ts";
import { pods } from "../../../sandbox/cluster/kinds/core-resources.ts";
import { endingsIn, evictedIn } from "../../world/evidence.ts";
import { well } from "../../world/fault-plan.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy } from "../../world/workloads.ts";

/** Nodes that terminate at once. */
interface Burst {
  readonly nodes: number;
  /** How many other nodes stay. */
  readonly staying: number;
  readonly podsOfNode: number;
  /** How many requests the API server takes in a second; it answers the others with 429. */
  readonly rate: number | "no limit";
}

function throttle(world: VirtualWorld, rate: number): void {
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

/** Terminates nodes that are full of pods at once, and drains them all; ten processes of the function work on ten notices each. */
async function burst({ nodes, staying, podsOfNode, rate }: Burst) {
  const world = new VirtualWorld({ nodes: nodes + staying });
  const leaving = Array.from({ length: nodes }, (_, index) => index + 1);
  deploy(world, { name: "web", on: Object.fromEntries(leaving.map((node) => [node, podsOfNode])) });
  world.cluster.addBudget({ name: "web", maxUnavailable: "50%" });
  world.pass(seconds(10));
  const atFirst = world.cluster.store.list(pods).map(({ metadata }) => metadata.uid);
  const start = world.timeline.now();
  if (rate !== "no limit") throttle(world, rate);
  for (const node of leaving) world.terminate(node);
  await world.work();
  const sent = world.requests.filter(({ to }) => to === "cluster");
  const lastOf = (verb: string): Duration =>
    between(start, sent.findLast(({ what }) => what.startsWith(verb))?.at ?? start);
  const released = world.told("notice-done").at(-1)?.at ?? start;
  const figures = {
    requestsOfPod: sent.length / (nodes * podsOfNode),
    receivesOfNotice: world.told("pass-started").length / nodes,
    marked: lastOf("patch nodes"),
    evicted: lastOf("create pods/eviction"),
    released: between(start, released),
  };
  process.stdout.write(
    `${JSON.stringify({ part: "bursts", nodes, podsOfNode, rate, ...figures })}\n`,
  );
  return { ...figures, world, atFirst };
}

const allContinue = (nodes: number): readonly string[] =>
  Array.from({ length: nodes }, () => "CONTINUE by call");

describe("nodes that end at once, before an API server that throttles,", () => {
  it.each([10, 100])(
    "are all drained, with fewer than three requests for each pod: %d nodes",
    async (nodes) => {
      const staying = Math.ceil(nodes / 4);
      const seen = await burst({ nodes, staying, podsOfNode: 30, rate: 400 });

      expect(endingsIn(seen.world)).toEqual(allContinue(nodes));
      expect(seen.requestsOfPod).toBeLessThanOrEqual(2.75);
      expect(seen.receivesOfNotice).toBeLessThanOrEqual(2);
      expect(seen.released).toBeLessThanOrEqual(seconds(30));
    },
  );
});

describe("300 nodes that end at once, with ten processes of the function,", () => {
  it("are all drained without a pod being evicted onto another one that goes", async () => {
    const size = { nodes: 300, staying: 30, podsOfNode: 2 };
    const { world, atFirst, ...figures } = await burst({ ...size, rate: "no limit" });

    expect(endingsIn(world)).toEqual(allContinue(300));
    expect(evictedIn(world).toSorted()).toEqual(atFirst.toSorted());
    expect(figures.requestsOfPod).toBeLessThanOrEqual(20);
    expect(figures.receivesOfNotice).toBeLessThanOrEqual(2);
  });
});
