import { counted } from "../lambda/base/counted.ts";
import { type Duration, type Instant, minutes, spoken } from "../lambda/base/time.ts";
import type { Happening } from "./happening.ts";

/** A time that a bar shows, and the reason. */
export interface TimelineSpan {
  readonly kind: "on the node" | "held" | "ending" | "awaited" | "pass" | "phase";
  readonly from: Instant;
  readonly to: Instant;
  readonly reason: string;
}

/** A point in time, and what happened then. */
export interface TimelineMark {
  readonly kind: "done" | "elsewhere" | "heartbeat" | "fault";
  readonly at: Instant;
  readonly reason: string;
}

export type RowState = "gone" | "held" | "ending" | "waiting" | "done" | "open";

/** One line of a timeline. */
export interface TimelineRow {
  /** The tier of a `pod` is not known. */
  readonly kind:
    | "node"
    | "pod"
    | "ordinary"
    | "critical"
    | "volumes"
    | "balancers"
    | "room"
    | "phase"
    | "old"
    | "fresh"
    | "sizes"
    | "waits"
    | "hook"
    | "passes";
  readonly label: string;
  readonly state: RowState;
  readonly spans: readonly TimelineSpan[];
  readonly marks: readonly TimelineMark[];
  readonly note: string;
}

/** A time, and the entries in it. */
export interface TimelineStory {
  readonly from: Instant;
  readonly to: Instant;
  readonly happenings: readonly Happening[];
}

/** The name of a node without its domain. */
export const shortName = (node: string): string => node.split(".")[0] ?? node;

const longestOnStopwatch = minutes(2);

/** A duration as a stopwatch shows it; from two minutes on in its two largest units. */
export const clock = (duration: Duration): string =>
  duration < longestOnStopwatch ? `${(duration / 1000).toFixed(1)} s` : spoken(duration);

export const passNote = (passes: number, faults: number): string =>
  faults === 0 ? `${passes} in all` : `${passes} in all, ${counted(faults, "fault")}`;
