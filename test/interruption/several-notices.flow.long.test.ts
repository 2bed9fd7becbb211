import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { interrupt } from "../world/ec2-events.ts";
import { completionsIn, endingsIn, evictedIn } from "../world/evidence.ts";
import { type Moment, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";

/** Drains an instance that EC2 takes back and that a hook holds three seconds later. */
async function drained(death?: { readonly number: number; readonly moment: Moment }) {
  const world = new VirtualWorld({ nodes: 2 });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
  world.faults = ({ number }) =>
    number === death?.number ? { kind: "death", moment: death.moment } : well;
  interrupt(world);
  world.in(seconds(3), () => world.terminate(1));
  await world.work();
  return world;
}

describe("an interruption and a hook of one instance", () => {
  it("are one drain, with each pod evicted and the hook completed once, wherever a process dies", async () => {
    const { length } = (await drained()).requests;
    expect(length).toBeGreaterThan(15);
    for (let number = 1; number <= length; number += 1)
      for (const moment of ["before", "after"] as const) {
        const world = await drained({ number, moment });
        const death = `${moment} ${world.requests[number - 1]?.what}`;
        expect(endingsIn(world), death).toEqual(["CONTINUE by call"]);
        expect(completionsIn(world), death).toBe(1);
        expect(namesOn(world, 1), death).toEqual([]);
        expect(new Set(evictedIn(world)).size, death).toBe(3);
        expect(world.aws.sqs.findQueue("notices").contents(), death).toEqual([]);
        expect(world.aws.sqs.findQueue("dead-letters").contents(), death).toEqual([]);
        expect(world.timeline.now() - Date.parse("2026-11-20T10:00:00Z")).toBeLessThan(minutes(20));
      }
  });
});
