import { describe, expect, it } from "vitest";
import { autoscalers } from "../../sandbox/kubernetes/app-resources.ts";
import { endingsIn } from "../world/evidence.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { namesOn } from "../world/workloads.ts";
import { aRoomWorld, countOf, leftUp, type RoomOptions, type RoomWorld } from "./a-room-world.ts";

const web = { namespace: "default", name: "web" };

/** A world whose Deployment is counted by an autoscaler, or not. */
function aWorld(counted: "by an autoscaler" | "by itself", options: RoomOptions = {}): RoomWorld {
  const room = aRoomWorld(options);
  if (counted === "by an autoscaler")
    room.world.cluster.store.create(autoscalers, {
      metadata: web,
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 1, maxReplicas: 5 },
    });
  return room;
}

const momentsOf = ({ what }: FunctionRequest): readonly Moment[] =>
  /^(get|list|watch)|Describe/.test(what) ? ["before"] : ["before", "after"];

describe("a function that dies at any of its requests while it makes room", () => {
  it.each(["by itself", "by an autoscaler"] as const)(
    "leaves no workload scaled up that is counted %s, and never fewer pods ready than before",
    { timeout: 240_000 },
    async (counted) => {
      const undisturbed = aWorld(counted);
      undisturbed.world.terminate(1);
      await undisturbed.world.work();
      const deaths = undisturbed.world.requests.flatMap((request) =>
        momentsOf(request).map((moment) => ({ ...request, moment })),
      );
      expect(deaths.length).toBeGreaterThan(20);
      for (const { number, moment, what } of deaths) {
        const { world, floor, made } = aWorld(counted);
        world.faults = (request) => (request.number === number ? { kind: "death", moment } : well);
        world.terminate(1);
        await world.work();
        const death = `${moment} ${number} ${what}`;
        expect(endingsIn(world), death).toEqual(["CONTINUE by call"]);
        expect(namesOn(world, 1), death).toEqual([]);
        expect(leftUp(world), death).toEqual([]);
        expect(countOf(world, "web"), death).toBe(1);
        expect(floor(), death).toBe(1);
        expect(made(), death).toBeLessThanOrEqual(3);
        const [scaler] = world.cluster.store.list(autoscalers);
        expect(scaler?.spec.minReplicas ?? 1, death).toBe(1);
      }
    },
  );
});
