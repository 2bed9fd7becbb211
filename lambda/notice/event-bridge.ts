import { instanceField, timeField } from "../base/field.ts";
import { described } from "../base/malformed.ts";
import { read, within } from "../base/read.ts";
import { anyText, anything, oneOf, record, text } from "../base/schema.ts";
import { readHealthDetail, type SentEvent } from "./health.ts";
import { launchDetail, launching, terminateDetail, terminating } from "./hook.ts";
import type { Notice } from "./notice.ts";

const envelope = record({
  id: text("the id of an event", /^[\x21-\x7e]{1,255}$/),
  source: anyText("the source of an event"),
  "detail-type": anyText("the type of an event's detail"),
  time: timeField,
});

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

type DetailReader = (detail: unknown, path: string, sent: SentEvent) => Notice;

/** @see https://docs.aws.amazon.com/eventbridge/latest/ref/events.html */
const readers = new Map<string, DetailReader>([
  ["aws.autoscaling/EC2 Instance-launch Lifecycle Action", readLaunch],
  ["aws.autoscaling/EC2 Instance-terminate Lifecycle Action", readTerminate],
  ["aws.ec2/EC2 Spot Instance Interruption Warning", readInterruption],
  ["aws.ec2/EC2 Instance Rebalance Recommendation", readRebalance],
  ["aws.ec2/EC2 Instance State-change Notification", readStateChange],
  ["aws.health/AWS Health Event", readHealthDetail],
]);

/** Reads an event of EventBridge: a notice about instances, or an unrelated event. */
export function readEventBridgeEvent(event: unknown, path: string): Notice {
  const { id, source, "detail-type": type, time: since } = read(envelope, event, path);
  const reader = readers.get(`${source}/${type}`);
  if (reader !== undefined) {
    const { detail } = read(record({ detail: anything }), event, path);
    return reader(detail, within(path, ["detail"]), { id, since });
  }
  const reason = `${described(type)} of ${described(source)} asks for nothing`;
  return { kind: "unrelated", reason, since };
}

function readLaunch(detail: unknown, path: string, { since }: SentEvent): Notice {
  return launching(read(launchDetail, detail, path), since);
}

function readTerminate(detail: unknown, path: string, { since }: SentEvent): Notice {
  return terminating(read(terminateDetail, detail, path), since);
}

function readInterruption(detail: unknown, path: string, { since }: SentEvent): Notice {
  const { "instance-id": instance, "instance-action": action } = read(interruption, detail, path);
  return { kind: "interrupted", instance, action, since };
}

function readRebalance(detail: unknown, path: string, { since }: SentEvent): Notice {
  const { "instance-id": instance } = read(aboutInstance, detail, path);
  return { kind: "at-risk", instance, since };
}

function readStateChange(detail: unknown, path: string, { since }: SentEvent): Notice {
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
