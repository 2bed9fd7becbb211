import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/domain/time.ts";
import type { PoolSpec } from "../../../sandbox/aws/elb/pool.ts";
import { excludeLabelledNodes } from "../../../sandbox/cloud-controller.ts";
import { endingsIn, evictionsIn, took } from "../../world/evidence.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy } from "../../world/workloads.ts";
import { instanceOf } from "../../world/world-options.ts";

interface Land {
  readonly pool?: Partial<PoolSpec>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly controller?: "runs" | "absent";
}

/** A world whose two nodes are healthy targets, and a pod on the first. */
function aWorld({ pool = {}, settings = {}, controller = "runs" }: Land = {}) {
  const world = new VirtualWorld({ settings });
  const web = world.aws.elb.create({ name: "web", ...pool });
  for (const index of [1, 2]) web.register(instanceOf(index), 30080, "healthy");
  if (controller === "runs") excludeLabelledNodes(world);
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  return { world, web };
}

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = [{ kind: "drained", attached: [], stuck: [] }];
const calls = (world: VirtualWorld, action: string) => world.aws.calls.of(action).length;

/** The seconds from the mark to the first eviction, and to the completion of the hook. */
function waits(world: VirtualWorld) {
  const [marked] = world.told("node-marked");
  const [evicted] = evictionsIn(world);
  const [completed] = world.told("hook-completed");
  const since = (at: number | undefined) => ((at ?? Number.NaN) - (marked?.at ?? 0)) / 1000;
  return { evicted: since(evicted?.at), completed: since(completed?.at) };
}

async function drain(world: VirtualWorld): Promise<void> {
  world.terminate(1);
  await world.work();
}

describe("a drain behind a target group", () => {
  it("evicts once the target is draining, and completes the hook once it is out", async () => {
    const { world } = aWorld({ pool: { delay: seconds(120) } });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    const { evicted, completed } = waits(world);
    // The controller needs 3 s, and the next look comes after 5 s.
    expect(evicted).toBe(5);
    expect(completed).toBeGreaterThanOrEqual(3 + 120);
    expect(completed).toBeLessThanOrEqual(3 + 120 + 15);
    expect(world.told("targets-awaited").map(({ targets }) => targets)).toEqual([
      ["target group web, port 30080: still sends requests to the instance"],
      ["target group web, port 30080: lets the last requests to the instance end"],
      ["target group web, port 30080: lets the last requests to the instance end"],
      ["target group web, port 30080: lets the last requests to the instance end"],
    ]);
    expect(world.told("targets-gone")).toHaveLength(1);
  });
});
