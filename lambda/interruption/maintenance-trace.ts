import {
  hours,
  type Instant,
  later,
  milliseconds,
  never,
  timestamp,
  tryInstantOf,
} from "../base/time.ts";
import type { Node } from "../drain/node.ts";

/**
 * The annotation with the work that AWS plans on the host of a node, a line for each Health event.
 */
export const maintenanceAnnotation = "eks-node-lifecycle/maintenance";

/**
 * The record of a Health event on the node of an affected instance, so that every message about the
 * event finds it.
 */
export interface MaintenanceTrace {
  /** The ARN of the Health event. */
  readonly event: string;
  /** When the work begins; `never` once AWS has called it off. */
  readonly startTime: Instant;
  /** The time of the notice. */
  readonly told: Instant;
  /** When the function first heard of it. */
  readonly heard: Instant;
  /** The id of the notice that waits for the work; all other notices of the same start time end. */
  readonly waiting: string;
}

const closed = "closed";

/** The Health events that a node records; unreadable lines are skipped. */
export const tracesOn = ({ annotations }: Pick<Node, "annotations">): readonly MaintenanceTrace[] =>
  (annotations[maintenanceAnnotation] ?? "").split("\n").flatMap(readLine);

function readLine(line: string): readonly MaintenanceTrace[] {
  const [event, start, told, heard, waiting] = line.split(" ").map(fieldValue);
  if (event === undefined || waiting === undefined) return [];
  const startTime = start === closed ? never : instantIn(start);
  const [toldAt, heardAt] = [instantIn(told), instantIn(heard)];
  if (startTime === undefined || toldAt === undefined || heardAt === undefined) return [];
  return [{ event, startTime, told: toldAt, heard: heardAt, waiting }];
}

const fieldValue = (field: string): string => field.slice(field.indexOf("=") + 1);

const instantIn = (text = ""): Instant | undefined => tryInstantOf(text);

// An instance has one or two such events in its life.
const kept = 8;
// EC2 lists an event for a week after its end.
const longOver = milliseconds(-hours(14 * 24));

/** Whether a node has as many traces as it has room for, so that others may have been left out. */
export const isFull = (node: Pick<Node, "annotations">): boolean => tracesOn(node).length >= kept;

/** When the work begins that a trace keeps its node for; `never` for none. */
const duty = ({ startTime }: MaintenanceTrace, now: Instant): Instant =>
  startTime < later(now, longOver) ? never : startTime;

/**
 * The traces that a node has room for: those of the nearest work, and then the last. Else messages about work that is closed,
 * or far off, would push out the trace of a drain that is under way.
 */
function keptOf(traces: readonly MaintenanceTrace[], now: Instant): readonly MaintenanceTrace[] {
  const wanted = traces.toReversed().toSorted((a, b) => duty(a, now) - duty(b, now));
  const chosen = new Set(wanted.slice(0, kept));
  return traces.filter((trace) => chosen.has(trace));
}

/** The annotation of a node with this trace, in place of an earlier one about the same Health event. */
export function withTrace(
  node: Pick<Node, "annotations">,
  trace: MaintenanceTrace,
): Readonly<Record<string, string>> {
  const others = tracesOn(node).filter(({ event }) => event !== trace.event);
  const lines = keptOf([...others, trace], trace.heard).map(lineOf);
  return { [maintenanceAnnotation]: lines.join("\n") };
}

const lineOf = ({ event, startTime, told, heard, waiting }: MaintenanceTrace): string =>
  [
    `event=${event}`,
    `start=${startTime === never ? closed : timestamp(startTime)}`,
    `told=${timestamp(told)}`,
    `heard=${timestamp(heard)}`,
    `waiting=${waiting}`,
  ].join(" ");
