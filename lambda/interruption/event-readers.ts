import { instanceField, timeField } from "../base/field.ts";
import { read } from "../base/read.ts";
import { oneOf, optional, orElse, record, text } from "../base/schema.ts";
import { between, type Duration, hours, type Instant, never } from "../base/time.ts";
import type { InterruptibleCapacity } from "../group/ec2-instance.ts";
import type { EventReader, SentEvent } from "../notice/event-bridge.ts";
import type { Unrelated } from "../notice/notice.ts";
import { capacityBlockEvents, capacityReservationWarnings } from "./event-names.ts";
import { type BlockExpiring, type EventNotice, usualWarning } from "./event-notice.ts";
import { readHealthDetail } from "./health.ts";

/**
 * The event's ARNs are not read: those of Spot events have a zone where the region should be, and those of Capacity
 * Reservations may be a text instead of a list.
 */
const aboutInstance = record({ "instance-id": instanceField });

const interruption = record({
  "instance-id": instanceField,
  "instance-action": oneOf("terminate", "stop", "hibernate"),
  // Spot events have none. The instance ends, whatever is written here.
  "instance-termination-time": orElse(timeField, never),
});

// EC2 names no instance; the function does when it passes a notice on.
const expiring = record({
  "capacity-reservation-id": text(
    "the id of a Capacity Reservation such as cr-0123456789abcdef0",
    /^cr-[\da-f]{8,32}$/,
  ),
  "instance-id": optional(instanceField),
});

const stateChange = record({
  "instance-id": instanceField,
  state: oneOf("pending", "running", "stopping", "stopped", "shutting-down", "terminated"),
});

/** The readers of the events of EC2 and AWS Health. */
export const eventReaders: readonly EventReader<EventNotice | Unrelated>[] = [
  { event: "aws.ec2/EC2 Spot Instance Interruption Warning", notice: interruptionOf("spot") },
  ...capacityReservationWarnings.map((type) => ({
    event: `aws.ec2/${type}`,
    notice: interruptionOf("capacity-reservation"),
  })),
  ...capacityBlockEvents.map((type) => ({ event: `aws.ec2/${type}`, notice: readExpiring })),
  { event: "aws.ec2/EC2 Instance Rebalance Recommendation", notice: readRebalance },
  { event: "aws.ec2/EC2 Instance State-change Notification", notice: readStateChange },
  { event: "aws.health/AWS Health Event", notice: readHealthDetail },
];

function interruptionOf(capacity: InterruptibleCapacity): EventReader<EventNotice>["notice"] {
  return (detail, path, { since }) => {
    const found = read(interruption, detail, path);
    const { "instance-id": instance, "instance-action": action } = found;
    const warning = warningBefore(found["instance-termination-time"], since);
    return { kind: "interrupted", instance, action, capacity, warning, since };
  };
}

// Far longer than AWS ever warns.
const longestWarning = hours(1);

/** The time from an event to the end that it names; two minutes, as EC2 has them, where that cannot be true. */
function warningBefore(ends: Instant, since: Instant): Duration {
  const named = between(since, ends);
  return named > 0 && named <= longestWarning ? named : usualWarning;
}

function readExpiring(detail: unknown, path: string, { id, since }: SentEvent): BlockExpiring {
  const found = read(expiring, detail, path);
  const { "capacity-reservation-id": reservation, "instance-id": instance = "each" } = found;
  return { kind: "block-expiring", id, reservation, instance, since };
}

function readRebalance(
  detail: unknown,
  path: string,
  { since }: SentEvent,
): EventNotice | Unrelated {
  const { "instance-id": instance } = read(aboutInstance, detail, path);
  return { kind: "at-risk", instance, since };
}

function readStateChange(
  detail: unknown,
  path: string,
  { since }: SentEvent,
): EventNotice | Unrelated {
  const { "instance-id": instance, state } = read(stateChange, detail, path);
  switch (state) {
    case "stopping":
    case "shutting-down":
      return { kind: "stopping", instance, state, since };
    case "stopped":
    case "terminated":
      return { kind: "stopped", instance, state, since };
    case "pending":
    case "running":
      return { kind: "unrelated", reason: `instance ${instance} is ${state}`, since };
  }
}
