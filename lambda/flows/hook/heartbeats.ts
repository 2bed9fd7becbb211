import type { LifecycleAction } from "../../domain/notice/lifecycle-action.ts";
import { type Duration, type Instant, later, milliseconds } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";

/** Keeps a hook from timing out while work goes on. */
export interface Heartbeats {
  /** When the next heartbeat is due. */
  due(): Instant;
  /** Sends a heartbeat if one is due. */
  send(): Promise<"kept" | "no-active-action">;
}

/** Sends heartbeats at half of the hook's timeout, counted from one that was just taken. */
export function heartbeatsOf(
  action: LifecycleAction,
  heartbeatTimeout: Duration,
  { groups, clock, journal }: Pick<Ports, "groups" | "clock" | "journal">,
): Heartbeats {
  const next = (): Instant => later(clock.now(), milliseconds(heartbeatTimeout / 2));
  let due = next();
  return {
    due: () => due,
    async send() {
      if (clock.now() < due) return "kept";
      const answer = await groups.heartbeat(action);
      if (answer === "no-active-action") return answer;
      due = next();
      journal.record({ kind: "heartbeat", hook: action.hook, instance: action.instance });
      return "kept";
    },
  };
}
