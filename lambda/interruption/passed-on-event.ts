import { timestamp } from "../base/time.ts";
import { blockWarning } from "./event-names.ts";
import type { BlockExpiring, Maintenance, PassedOn } from "./event-notice.ts";

/** Writes planned work on instances as the event of EventBridge that it was read from, or might have been. */
export const healthEventOf = (planned: Maintenance): object => ({
  id: planned.id,
  source: "aws.health",
  "detail-type": "AWS Health Event",
  time: timestamp(planned.since),
  detail: {
    eventArn: planned.event,
    eventTypeCode: planned.eventType,
    service: "EC2",
    eventTypeCategory: "scheduledChange",
    statusCode: planned.status,
    startTime: new Date(planned.startTime).toUTCString(),
    affectedEntities: planned.instances.map((entityValue) => ({ entityValue })),
  },
});

const blockEventOf = ({ id, since, reservation, instance }: BlockExpiring): object => ({
  id,
  source: "aws.ec2",
  "detail-type": blockWarning,
  time: timestamp(since),
  detail: {
    "capacity-reservation-id": reservation,
    ...(instance !== "each" && { "instance-id": instance }),
  },
});

/** Writes a notice that the function sends as the event of EventBridge that it was read from, or might have been. */
export const passedOnEventOf = (notice: PassedOn): object =>
  notice.kind === "maintenance" ? healthEventOf(notice) : blockEventOf(notice);
