import { between, type Duration, seconds } from "../../lambda/base/time.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { interrupt } from "./ec2-events.ts";
import { well } from "./fault-plan.ts";
import { landingsOn } from "./landings.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { deploy } from "./workloads.ts";
import { instanceOf } from "./world-options.ts";

/** Nodes that end at once. */
export interface Burst {
  /** Who tells of them. @default the hooks of their group */
  readonly told?: "as Spot" | "by hooks";
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

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Ends nodes that are full of pods at once, and drains them all; ten processes of the function work on ten notices each. */
export async function burst({ told, nodes, staying, podsOfNode, rate }: Burst) {
  const world = new VirtualWorld({ nodes: nodes + staying });
  const leaving = Array.from({ length: nodes }, (_, index) => index + 1);
  deploy(world, { name: "web", on: Object.fromEntries(leaving.map((node) => [node, podsOfNode])) });
  world.cluster.addBudget({ name: "web", maxUnavailable: "50%" });
  world.pass(seconds(10));
  const atFirst = world.cluster.store.list(pods).map(({ metadata }) => metadata.uid);
  const start = world.timeline.now();
  if (rate !== "no limit") throttle(world, rate);
  const landed = landingsOn(world, leaving);
  for (const node of leaving)
    if (told === "as Spot") interrupt(world, instanceOf(node));
    else world.terminate(node);
  await world.work();
  const sent = world.requests.filter(({ to }) => to === "cluster");
  const lastOf = (verb: string): Duration =>
    between(start, sent.findLast(({ what }) => what.startsWith(verb))?.at ?? start);
  const released = world.told("notice-done").at(-1)?.at ?? start;
  const figures = {
    requestsOfPod: hundredths(sent.length / (nodes * podsOfNode)),
    receivesOfNotice: hundredths(world.told("pass-started").length / nodes),
    marked: lastOf("patch nodes"),
    evicted: lastOf("create pods/eviction"),
    released: between(start, released),
  };
  return { figures, world, atFirst, landed };
}
