import type { Instant } from "../../lambda/domain/time.ts";
import type { Bell } from "../../lambda/ports/bell.ts";
import type { Clock } from "../../lambda/ports/clock.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

/** A clock on the world's time; the test that drives the world advances it. */
export const virtualClock = (timeline: VirtualTimeline): Clock => ({
  now: () => timeline.now(),

  sleep(until: Instant, bell: Bell): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timeline.schedule(until, resolve);
    const leave = bell.onRing(resolve);
    return promise.finally(() => {
      cancel();
      leave();
    });
  },
});
