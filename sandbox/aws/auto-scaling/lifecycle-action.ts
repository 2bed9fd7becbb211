import {
  earliest,
  hours,
  type Instant,
  later,
  milliseconds,
  shortest,
} from "../../../lambda/domain/time.ts";
import type { Cancel, Timeline } from "../../timeline.ts";
import type { ActionResult, Hook } from "./group.ts";
import type { JourneyName } from "./lifecycle.ts";

/** Which action it is. */
export interface ActionSpec {
  readonly token: string;
  readonly group: string;
  readonly hook: Hook;
  readonly instanceId: string;
  readonly journey: JourneyName;
}

/** Why an action ended. */
export type EndedBy =
  | "another-abandoned"
  | "call"
  | "global-timeout"
  | "heartbeat-timeout"
  | "hook-deleted";

/** Whether an action goes on, or how it ended. */
export type ActionEnd =
  | {
      readonly kind: "ended";
      readonly result: ActionResult;
      readonly by: EndedBy;
      readonly at: Instant;
    }
  | { readonly kind: "open" };

/** What was done about a lifecycle action. */
export interface ActionRecord extends ActionSpec {
  readonly startedAt: Instant;
  readonly heartbeats: readonly Instant[];
  readonly end: ActionEnd;
}

/** However often it is asked for more time, an action ends by then. */
const globalTimeout = ({ heartbeat }: Hook) => shortest(hours(48), milliseconds(100 * heartbeat));

/** One hook's hold on one instance; it ends when told to, or when nobody asks for more time. */
export class LifecycleAction {
  readonly spec: ActionSpec;
  readonly #timeline: Timeline;
  readonly #startedAt: Instant;
  readonly #heartbeats: Instant[] = [];
  readonly #onEnd: (result: ActionResult) => void;
  #end: ActionEnd = { kind: "open" };
  #cancelTimeout: Cancel = () => undefined;

  constructor(timeline: Timeline, spec: ActionSpec, onEnd: (result: ActionResult) => void) {
    this.spec = spec;
    this.#timeline = timeline;
    this.#startedAt = timeline.now();
    this.#onEnd = onEnd;
    this.#restart();
  }

  get open(): boolean {
    return this.#end.kind === "open";
  }

  record(): ActionRecord {
    const heartbeats = [...this.#heartbeats];
    return { ...this.spec, startedAt: this.#startedAt, heartbeats, end: this.#end };
  }

  /** Gives the action its whole heartbeat timeout again, as far as the global timeout lets it. */
  heartbeat(): void {
    this.#heartbeats.push(this.#timeline.now());
    this.#restart();
  }

  /** Ends the action and lets the instance's journey know. */
  finish(result: ActionResult, by: EndedBy): void {
    this.drop(result, by);
    this.#onEnd(result);
  }

  /** Ends the action where the journey knows already. */
  drop(result: ActionResult, by: EndedBy): void {
    this.#cancelTimeout();
    this.#end = { kind: "ended", result, by, at: this.#timeline.now() };
  }

  #restart(): void {
    const { hook } = this.spec;
    const heartbeatEnd = later(this.#timeline.now(), hook.heartbeat);
    const globalEnd = later(this.#startedAt, globalTimeout(hook));
    const by = heartbeatEnd < globalEnd ? "heartbeat-timeout" : "global-timeout";
    this.#cancelTimeout();
    this.#cancelTimeout = this.#timeline.schedule(earliest(heartbeatEnd, globalEnd), () =>
      this.finish(hook.defaultResult, by),
    );
  }
}
