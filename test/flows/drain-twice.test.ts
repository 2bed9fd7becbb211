import { beforeEach, describe, expect, it } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/domain/time.ts";
import { completionsIn, endingsIn, writtenIn } from "../world/evidence.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { nodeOf } from "../world/landscape.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";

describe("a notice that is delivered twice", () => {
  let world: VirtualWorld;

  beforeEach(() => {
    world = new VirtualWorld({ nodes: 3 });
    deploy(world, { name: "web", on: { 1: 3 } });
    deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
    world.terminate(1);
  });

  const kindsOfOutcomes = () => world.told("notice-done").map(({ outcome }) => outcome.kind);

  function expectOneDrain(): void {
    expect(kindsOfOutcomes().toSorted()).toEqual(["drained", "released-elsewhere"]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(completionsIn(world)).toBe(1);
    expect(namesOn(world, 1)).toEqual([]);
    expect(world.told("fault")).toEqual([]);
  }

  it("in one batch is one drain in the end", async () => {
    world.send(hookNotice(world));
    await world.work();
    expectOneDrain();
    expect(writtenIn(world).filter((what) => /^patch nodes \S+ 200$/.test(what))).toHaveLength(1);
  });

  it.each([10, 500, 3000])(
    "to two processes %i ms apart is one drain, and asks twice only for what both see at the same moment",
    async (apart) => {
      world.in(milliseconds(apart), () => world.send(hookNotice(world)));
      await world.work();
      expectOneDrain();
      const asked = writtenIn(world).filter((what) => /eviction \S+ 201/.test(what));
      expect(asked.slice(0, 4)).toEqual([
        "create pods/eviction web-1 201",
        "create pods/eviction web-2 201",
        "create pods/eviction web-3 201",
        "create pods/eviction coredns-1 201",
      ]);
      expect(new Set(asked).size).toBe(4);
      expect(writtenIn(world).filter((what) => what.startsWith("patch"))).toEqual([
        `patch nodes ${nodeOf(1)} 200`,
      ]);
    },
  );

  it.each([seconds(20), minutes(2), hours(3)])(
    "the second time %i ms after the first is over touches nothing",
    async (wait) => {
      const copy = hookNotice(world);
      await world.work();
      const writes = writtenIn(world).length;
      world.pass(wait);
      world.send(copy);
      await world.work();
      expect(kindsOfOutcomes()).toEqual(["drained", "ignored"]);
      expect(writtenIn(world)).toHaveLength(writes);
      expect(completionsIn(world)).toBe(1);
    },
  );
});
