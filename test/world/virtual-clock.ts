import type { Clock } from "../../lambda/base/clock.port.ts";
import { type Duration, type Instant, instant, later, seconds } from "../../lambda/base/time.ts";
import type { Wakeup } from "../../lambda/base/wakeup.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

/** A clock that may be ahead of the world's time; the test that drives the world advances it. */
export const virtualClock = (timeline: VirtualTimeline, ahead: Duration = seconds(0)): Clock => ({
  now: () => later(timeline.now(), ahead),

  sleep(until: Instant, wakeup: Wakeup): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timeline.schedule(instant(until - ahead), resolve);
    const leave = wakeup.onNotify(resolve);
    return promise.finally(() => {
      cancel();
      leave();
    });
  },
});
