import { randomUUID } from "node:crypto";
import {
  earliest,
  hours,
  type Instant,
  later,
  milliseconds,
  shortest,
} from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";
import type { Account } from "./account.ts";
import type { ActionResult, Group, Hook } from "./group.ts";
import { type JourneyName, journeys } from "./lifecycle.ts";
import type { Publication } from "./sns.ts";

/** The identity of a lifecycle action. */
export interface ActionSpec {
  readonly token: string;
  readonly group: string;
  readonly hook: Hook;
  readonly instanceId: string;
  readonly journey: JourneyName;
}

/** Why a lifecycle action ended. */
export type EndedBy =
  | "another-abandoned"
  | "call"
  | "global-timeout"
  | "heartbeat-timeout"
  | "hook-deleted";

/** The end of a lifecycle action, or that it is still open. */
export type ActionEnd =
  | {
      readonly kind: "ended";
      readonly result: ActionResult;
      readonly by: EndedBy;
      readonly at: Instant;
    }
  | { readonly kind: "open" };

/** The history of a lifecycle action. */
export interface ActionRecord extends ActionSpec {
  readonly startedAt: Instant;
  readonly heartbeats: readonly Instant[];
  readonly end: ActionEnd;
}

/** The longest time an action lasts, however many heartbeats it gets. */
const globalTimeout = ({ heartbeat }: Hook) => shortest(hours(48), milliseconds(100 * heartbeat));

/** One hook holds one instance, until a call completes the action or heartbeats stop. */
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

  /** Restarts the heartbeat timeout; the action still ends at the global timeout. */
  heartbeat(): void {
    this.#heartbeats.push(this.#timeline.now());
    this.#restart();
  }

  /** Ends the action and tells the instance's journey. */
  finish(result: ActionResult, by: EndedBy): void {
    this.drop(result, by);
    this.#onEnd(result);
  }

  /** Ends the action without telling the journey, which already knows. */
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

const service = "AWS Auto Scaling";
const time = (at: Instant): string => new Date(at).toISOString();

/** The notice that a hook's target gets when an action begins. */
export function lifecycleNotice(action: ActionSpec, { id }: Account, at: Instant): Publication {
  const { transition, origin, destination } = journeys[action.journey];
  const { metadata, name } = action.hook;
  const word = transition.replace("autoscaling:EC2_INSTANCE_", "");
  const message = {
    Origin: origin,
    LifecycleHookName: name,
    Destination: destination,
    AccountId: id,
    RequestId: randomUUID(),
    LifecycleTransition: transition,
    AutoScalingGroupName: action.group,
    Service: service,
    Time: time(at),
    EC2InstanceId: action.instanceId,
    ...(metadata === "" ? {} : { NotificationMetadata: metadata }),
    LifecycleActionToken: action.token,
  };
  return {
    subject: `Auto Scaling:  Lifecycle action '${word}' for instance ${action.instanceId} in progress.`,
    message: JSON.stringify(message),
  };
}

/** The test notice that a hook's target gets when a user puts the hook. */
export function testNotice({ name, arn }: Group, { id }: Account, at: Instant): Publication {
  const message = {
    AccountId: id,
    RequestId: randomUUID(),
    AutoScalingGroupARN: arn,
    AutoScalingGroupName: name,
    Service: service,
    Event: "autoscaling:TEST_NOTIFICATION",
    Time: time(at),
  };
  return {
    subject: `Auto Scaling: test notification for group "${name}"`,
    message: JSON.stringify(message),
  };
}
