import { expect, it } from "vitest";
import { type Instant, minutes, seconds } from "../../lambda/base/time.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import { snsEvent } from "../support/saved-events.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import type { MakesWork } from "../world/world-options.ts";

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
  void world.deployment.function("node").invoke(snsEvent(JSON.stringify(hookNotice(world))));
  await world.workFor(minutes(2));
  expect(told.length).toBeGreaterThan(2);
  expect(new Set(told)).toEqual(new Set([begun]));
});
