import { expect, it } from "vitest";
import { type Instant, minutes, seconds } from "../../lambda/base/time.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import { snsEvent } from "../support/saved-events.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import type { MakesWork } from "../world/world-options.ts";

const invoked = (world: VirtualWorld, message: string) =>
  world.deployment.function("node").invoke(snsEvent(message));

it("a saved event is answered with the outcome of its work", async () => {
  const world = new VirtualWorld();
  world.terminate(1);
  await world.drop();
  const answer = invoked(world, JSON.stringify(hookNotice(world)));
  await world.workFor(minutes(2));
  const payload = { outcomes: [{ kind: "drained", attached: [], stuck: [] }] };
  expect(await answer).toEqual({ kind: "ok", payload });
});

it("a saved event that makes no sense is answered with what is wrong in it", async () => {
  const world = new VirtualWorld();
  const answer = expect(invoked(world, "{}")).rejects.toMatchObject({ code: "event.malformed" });
  await world.workFor(minutes(2));
  await answer;
  expect(world.told("fault").map(({ code }) => code)).toEqual(["event.malformed"]);
  expect(world.told("pass-started")).toEqual([]);
});

it("a saved event counts its time from the begin of its invocation, in each of its passes", async () => {
  const told: Instant[] = [];
  const work: MakesWork = (config, ports) => ({
    ...noticeWork(config, ports),
    run({ firstReceived }) {
      told.push(firstReceived);
      return Promise.resolve({ kind: "again", wait: seconds(10) });
    },
  });
  const world = new VirtualWorld({ work });
  const begun = world.timeline.now();
  void invoked(world, JSON.stringify(hookNotice(world)));
  await world.workFor(minutes(2));
  expect(told.length).toBeGreaterThan(2);
  expect(new Set(told)).toEqual(new Set([begun]));
});
