import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import type { KubeFault } from "../../sandbox/cluster/api/planned-faults.ts";
import { endingsIn, evictionsIn } from "../world/evidence.ts";
import { well } from "../world/fate.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

/** A world in which the first eviction of `web-1` is answered so, and not done. */
function answering(fault: KubeFault): VirtualWorld {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 1 } });
  let first = true;
  world.destiny = ({ what }) => {
    if (!what.startsWith("create pods/eviction web-1") || !first) return well;
    first = false;
    return { kind: "cluster-fault", fault, moment: "before" };
  };
  return world;
}

const status = (code: number, more: object = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  message: "no",
  code,
  ...more,
});

const budget = { details: { causes: [{ reason: "DisruptionBudget", message: "not now" }] } };

describe("an eviction whose answer says success, and failure in its body", () => {
  it.each<[object, string]>([
    [{ code: 429, ...budget }, "blocked"],
    [{ code: 429 }, "throttled"],
    [{ code: 409 }, "conflict"],
    [{ code: 500 }, "unclear"],
    [{ code: undefined }, "unclear"],
    [{ code: 200 }, "unclear"],
  ])("is none, but what the body says: %j", async (more, why) => {
    const world = answering({ status: 201, body: { ...status(0), ...more } });
    world.terminate(1);
    await world.work();
    expect(world.told("pod-refused")).toMatchObject([{ pod: "default/web-1", why }]);
    expect(evictionsIn(world)).toHaveLength(2);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is one where the body says success too", async () => {
    const world = answering({ status: 200, body: { ...status(200), status: "Success" } });
    world.terminate(1);
    await world.work(seconds(30));
    expect(world.told("pod-refused")).toEqual([]);
    expect(evictionsIn(world)).toHaveLength(1);
  });
});
