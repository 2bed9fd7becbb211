import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { evictionsIn, outcomesIn, writtenIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { group } from "../world/world-options.ts";

/** An instance ends in a group that another tool has a hook on too, which nobody completes. */
async function ended(tags: Readonly<Record<string, string>>): Promise<VirtualWorld> {
  const world = new VirtualWorld({ settings: { DRAIN_MODE: "dry-run" }, tags });
  deploy(world, { name: "web", on: { 1: 1 } });
  const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
  world.aws.autoScaling.putHook(group, { name: "other-tool", transition, heartbeat: minutes(30) });
  world.terminate(1);
  await world.work();
  return world;
}

/** The hooks that somebody has completed, and with what. */
const completedIn = ({ aws }: VirtualWorld): readonly string[] =>
  aws.autoScaling
    .actions()
    .flatMap(({ hook, end }) =>
      end.kind === "ended" && end.by === "call" ? [`${hook.name} ${end.result}`] : [],
    );

describe("a deployment beside another tool, as the pages of migrations have it,", () => {
  it("changes nothing, and completes its own hook alone", async () => {
    const world = await ended({});

    expect(outcomesIn(world)).toMatchObject([{ kind: "dry-run" }]);
    expect(writtenIn(world).filter((what) => !what.startsWith("create pods/eviction"))).toEqual([]);
    expect(world.departures).toEqual([]);
    expect(completedIn(world)).toEqual(["Terminate-LC-Hook CONTINUE"]);
  });

  it("drains the nodes of a group as soon as its tag says so", async () => {
    const world = await ended({ "eks-node-lifecycle/drain-mode": "evict" });

    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(evictionsIn(world)).toHaveLength(1);
    expect(completedIn(world)).toEqual(["Terminate-LC-Hook CONTINUE"]);
  });
});
