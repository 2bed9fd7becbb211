import { type Instant, timestamp } from "../base/time.ts";
import type { KubeEvent } from "./kube-event.ts";

/** The reporting controller of the Events. The admission policy of the function's rights allows no other. */
const controller = "eks-node-lifecycle";

/** The content of an Event. */
export type EventFacts = Pick<KubeEvent, "action" | "note" | "reason" | "regarding" | "type">;

/** An Event as the API server wants it, without its name. */
export const eventBody = ({ action, reason, type, note, regarding }: EventFacts, at: Instant) => ({
  eventTime: microTime(at),
  reportingController: controller,
  reportingInstance: controller,
  action,
  reason,
  type,
  note: fitting(note),
  regarding,
});

/** The patch that turns an Event into a series of this count. The API server allows no other change of an Event. */
export const eventSeries = (count: number, at: Instant) => ({
  series: { count, lastObservedTime: microTime(at) },
});

/** The namespace for Events of objects that have none, as the API server requires. */
export const namespaceFor = ({ regarding }: KubeEvent): string => regarding.namespace || "default";

const microTime = (at: Instant): string => timestamp(at).replace("Z", "000Z");

// The API server takes 1,024 bytes.
const mostBytes = 1000;

/** Shortens a note to what the API server accepts. */
function fitting(note: string): string {
  const bytes = new TextEncoder().encode(note);
  return bytes.length <= mostBytes
    ? note
    : `${new TextDecoder().decode(bytes.subarray(0, mostBytes))}…`;
}
