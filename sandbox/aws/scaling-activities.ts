import { randomUUID } from "node:crypto";
import type { Instant } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { GroupInstance } from "./group.ts";

/** The activity of a group about one instance. */
export interface ScalingActivity {
  readonly id: string;
  readonly group: string;
  readonly zone: string;
  readonly description: string;
  readonly cause: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant | "open";
  readonly status: "Cancelled" | "Failed" | "InProgress" | "Successful";
  /** Empty unless it failed. */
  readonly message: string;
}

type ActivityStart = Pick<ScalingActivity, "cause" | "description" | "group" | "zone">;
type ActivityEnd = Pick<ScalingActivity, "message" | "status">;

/** The scaling activities of all groups, as their instances change. */
export class ScalingActivities {
  readonly #timeline: Timeline;
  readonly #activities: ScalingActivity[] = [];
  /** The open activity of each instance, by its place among all. */
  readonly #open = new Map<string, number>();
  /** Says why a launch was abandoned. */
  readonly #whyAbandoned: (instance: string) => string;

  constructor(timeline: Timeline, whyAbandoned: (instance: string) => string) {
    this.#timeline = timeline;
    this.#whyAbandoned = whyAbandoned;
  }

  /** The activities of a group, the newest first. */
  of(group: string): readonly ScalingActivity[] {
    return this.#activities.filter((activity) => activity.group === group).toReversed();
  }

  /** Follows an instance: where it is about to enter or to leave its group, an activity begins. */
  hear({ id, group, zone, state, health }: GroupInstance): void {
    const at = new Date(this.#timeline.now()).toISOString();
    const begun = { group, zone };
    if (state === "Pending") {
      const cause = `At ${at} an instance was started in response to a difference between desired and actual capacity.`;
      this.#begin(id, { ...begun, description: `Launching a new EC2 instance: ${id}`, cause });
    } else if (state === "InService" || state === "Terminated") this.#end(id, done);
    else if (state === "Terminating") {
      const why = health === "healthy" ? "" : " in response to a user health-check";
      const cause = `At ${at} instance ${id} was taken out of service${why}.`;
      this.#begin(id, { ...begun, description: `Terminating EC2 instance: ${id}`, cause });
    } else if (state === "Terminating:Proceed") this.#abandon(id);
  }

  /** A launch that failed before there was an instance. */
  failed(begun: Omit<ActivityStart, "description">, message: string): void {
    const description = `Launching a new EC2 instance.  Status Reason: ${message}`;
    const now = this.#timeline.now();
    const ended = { status: "Failed", message, startedAt: now, endedAt: now } as const;
    this.#activities.push({ ...begun, ...ended, id: randomUUID(), description });
  }

  /** The launch of an instance that leaves before it was in service was abandoned. */
  #abandon(instance: string): void {
    const open = this.#activities[this.#open.get(instance) ?? -1];
    if (open?.description.startsWith("Launching") !== true) return;
    const message = this.#whyAbandoned(instance);
    const description = `${open.description}.  Status Reason: ${message}`;
    this.#end(instance, { status: "Cancelled", message }, description);
  }

  #begin(instance: string, begun: ActivityStart): void {
    if (this.#activities[this.#open.get(instance) ?? -1]?.description === begun.description) return;
    const open = { status: "InProgress", message: "", endedAt: "open" } as const;
    const started = { id: randomUUID(), startedAt: this.#timeline.now() };
    this.#open.set(instance, this.#activities.push({ ...begun, ...open, ...started }) - 1);
  }

  #end(instance: string, ended: ActivityEnd, description?: string): void {
    const place = this.#open.get(instance);
    const open = this.#activities[place ?? -1];
    if (place === undefined || open === undefined) return;
    this.#open.delete(instance);
    const endedAt = this.#timeline.now();
    this.#activities[place] = {
      ...open,
      ...ended,
      endedAt,
      description: description ?? open.description,
    };
  }
}

const done: ActivityEnd = { status: "Successful", message: "" };
