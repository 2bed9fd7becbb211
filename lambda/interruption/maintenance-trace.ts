import { type Instant, never, timestamp, tryInstantOf } from "../base/time.ts";
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

/** The annotation of a node with this trace, in place of an earlier one about the same Health event. */
export function withTrace(
  node: Pick<Node, "annotations">,
  trace: MaintenanceTrace,
): Readonly<Record<string, string>> {
  const others = tracesOn(node).filter(({ event }) => event !== trace.event);
  const lines = [...others, trace].slice(-kept).map(lineOf);
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
