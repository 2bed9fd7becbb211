import type { Bell } from "../../lambda/bell.ts";
import type { Instant } from "../../lambda/domain/time.ts";
import type { Clock } from "../../lambda/ports.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

// How many turns of the event loop an answer takes at most to get from the world to who asked.
const turns = 3;

/** Lets everything under way come to rest. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** A clock that moves only while somebody sleeps: from effect to effect of the world, until the bell rings. */
export const virtualClock = (timeline: VirtualTimeline): Clock => ({
  now: () => timeline.now(),

  async sleep(until: Instant, bell: Bell): Promise<void> {
    const waking = { kind: "asleep" as "asleep" | "due" };
    // Others who sleep at the same time must not pass over this one's hour.
    const cancel = timeline.schedule(until, () => {
      waking.kind = "due";
    });
    await rest();
    while (!bell.heard() && waking.kind === "asleep") {
      timeline.step(until);
      await rest();
    }
    cancel();
  },
});
