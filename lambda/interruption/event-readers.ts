import { instanceField } from "../base/field.ts";
import { read } from "../base/read.ts";
import { oneOf, record } from "../base/schema.ts";
import type { EventReader, SentEvent } from "../notice/event-bridge.ts";
import type { Unrelated } from "../notice/notice.ts";
import type { EventNotice } from "./event-notice.ts";
import { readHealthDetail } from "./health.ts";

/** The event's ARNs are not read: those of Spot events have a zone where the region should be. */
const aboutInstance = record({ "instance-id": instanceField });

const interruption = record({
  "instance-id": instanceField,
  "instance-action": oneOf("terminate", "stop", "hibernate"),
});

const stateChange = record({
  "instance-id": instanceField,
  state: oneOf("pending", "running", "stopping", "stopped", "shutting-down", "terminated"),
});

/** The readers of the events of EC2 and AWS Health. */
export const eventReaders: readonly EventReader<EventNotice | Unrelated>[] = [
  { event: "aws.ec2/EC2 Spot Instance Interruption Warning", notice: readInterruption },
  { event: "aws.ec2/EC2 Instance Rebalance Recommendation", notice: readRebalance },
  { event: "aws.ec2/EC2 Instance State-change Notification", notice: readStateChange },
  { event: "aws.health/AWS Health Event", notice: readHealthDetail },
];

function readInterruption(
  detail: unknown,
  path: string,
  { since }: SentEvent,
): EventNotice | Unrelated {
  const { "instance-id": instance, "instance-action": action } = read(interruption, detail, path);
  return { kind: "interrupted", instance, action, since };
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
