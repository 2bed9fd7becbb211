import { type Duration, type Instant, later, milliseconds } from "../base/time.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";
import type { PassPorts } from "./notice.port.ts";

/** The result of a heartbeat: the hook still holds its instance, or no longer does. */
export type Heartbeat = "kept" | "no-active-action";

type HeartbeatPorts = Pick<PassPorts, "clock" | "groups" | "journal">;

/** Keeps a hook from timing out while work goes on: sends a heartbeat each time half of its timeout has passed. */
export class Heartbeats {
  readonly #action: LifecycleAction;
  readonly #every: Duration;
  readonly #ports: HeartbeatPorts;
  #due: Instant;

  constructor(action: LifecycleAction, heartbeatTimeout: Duration, ports: HeartbeatPorts) {
    this.#action = action;
    this.#every = milliseconds(heartbeatTimeout / 2);
    this.#ports = ports;
    this.#due = this.#next();
  }

  /** When the next heartbeat is due. */
  due(): Instant {
    return this.#due;
  }

  async send(): Promise<Heartbeat> {
    const { clock, groups, journal } = this.#ports;
    if (clock.now() < this.#due) return "kept";
    const answer = await groups.heartbeat(this.#action);
    if (answer === "no-active-action") return answer;
    this.#due = this.#next();
    const { hook, instance } = this.#action;
    journal.record({ kind: "heartbeat", hook, instance });
    return "kept";
  }

  #next(): Instant {
    return later(this.#ports.clock.now(), this.#every);
  }
}
