import { type Instant, timestamp } from "../base/time.ts";
import type { KubeEvent } from "./kube-event.ts";

/** The controller that Events name; the admission policy of the function's rights lets it name no other. */
export const controller = "eks-node-lifecycle";

/** What an Event tells the API server. */
export type EventFacts = Pick<KubeEvent, "action" | "note" | "reason" | "regarding" | "type">;

/** An Event as the API server wants it, without its name. */
export const eventBody = ({ action, reason, type, note, regarding }: EventFacts, at: Instant) => ({
  eventTime: microTime(at),
  reportingController: controller,
  reportingInstance: controller,
  ...{ action, reason, type, note: fitting(note), regarding },
});

/** The patch that makes an Event a series of so many. The API server lets nothing else of an Event change. */
export const eventSeries = (count: number, at: Instant) => ({
  series: { count, lastObservedTime: microTime(at) },
});

/** The API server takes Events of objects without a namespace in this one. */
export const namespaceFor = ({ regarding }: KubeEvent): string => regarding.namespace || "default";

const microTime = (at: Instant): string => timestamp(at).replace("Z", "000Z");

// The API server takes 1,024 bytes.
const mostBytes = 1000;

/** A note that is not too long for the API server. */
function fitting(note: string): string {
  const bytes = new TextEncoder().encode(note);
  return bytes.length <= mostBytes
    ? note
    : `${new TextDecoder().decode(bytes.subarray(0, mostBytes))}…`;
}
