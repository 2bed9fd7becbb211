import { counted } from "../lambda/base/counted.ts";
import { between, type Instant, never, spoken } from "../lambda/base/time.ts";
import type { RecordedDrain } from "./drains.ts";
import { ofKind } from "./happening.ts";
import { rowOf, wordsOfOutcome } from "./outcome-table.ts";
import { clock, type TimelineRow } from "./timeline.ts";
import { timelineRows } from "./timeline-rows.ts";

/** The picture of one drain, from a log or from the cluster. */
export interface Picture {
  readonly instance: string;
  readonly group: string;
  readonly node: string;
  readonly state: "done" | "careful" | "not done" | "under way";
  /** Its end, or the thing that it waits for. */
  readonly words: string;
  readonly from: Instant;
  readonly to: Instant;
  /** `never` if unknown. */
  readonly deadline: Instant;
  readonly rows: readonly TimelineRow[];
}

export const pictureOf = (drain: RecordedDrain): Picture => ({
  instance: drain.instance,
  group: drain.group,
  node: drain.node,
  state: stateOf(drain),
  words: wordsOf(drain),
  from: drain.from,
  to: drain.to,
  deadline: drain.deadline,
  rows: timelineRows(drain),
});

function stateOf({ outcome }: RecordedDrain): Picture["state"] {
  if (outcome.kind === "unfinished") return "under way";
  const { tone, exit } = rowOf(outcome);
  if (exit === "notDone") return "not done";
  return tone === "good" ? "done" : "careful";
}

function wordsOf(drain: RecordedDrain): string {
  const { outcome, from, to, happenings } = drain;
  const took = clock(between(from, to));
  if (outcome.kind !== "unfinished") return `${wordsOfOutcome(outcome)}, after ${took}`;
  const ended = ofKind(happenings, "pass-ended").at(-1);
  return ended === undefined
    ? `under way for ${took}`
    : `under way for ${took}; a pass left ${counted(ended.left.length, "pod")}`;
}

/** The time between the end of a drain and its deadline, or the time left, in words; empty without a deadline. */
export function deadlineWords({ deadline, to, state }: Picture): string {
  if (deadline === never) return "";
  const isOver = state !== "under way";
  const spare = between(to, deadline);
  if (spare < 0) return `${spoken(between(deadline, to))} after its deadline`;
  return isOver ? `${spoken(spare)} before its deadline` : `${spoken(spare)} left to its deadline`;
}
