import { instanceId } from "../../lambda/base/ids.ts";
import { type Duration, hours, type Instant, later } from "../../lambda/base/time.ts";
import type { Maintenance } from "../../lambda/interruption/event-notice.ts";
import { type MaintenanceTrace, tracesOn } from "../../lambda/interruption/maintenance-trace.ts";
import { healthEventOf } from "../../lambda/interruption/passed-on-event.ts";
import { nodeNow } from "../world/change.ts";
import { makeTrue } from "../world/true-event.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { instanceOf } from "../world/world-options.ts";

/** A number of days. */
export const days = (count: number): Duration => hours(24 * count);

/** What AWS Health says in one message. */
export interface Announcement
  extends Partial<Pick<Maintenance, "event" | "id" | "since" | "startTime" | "status">> {
  /** The numbers of the affected instances. @default 1 */
  readonly on?: readonly number[];
}

/** The Health event that messages are about unless they say otherwise. */
export const retirement =
  "arn:aws:health:eu-west-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/1";

/** AWS plans work and announces it in Health; by default, work on the first instance in two days. */
export function announce(world: VirtualWorld, announced: Announcement = {}): Instant {
  const { planned, event } = announcement(world, announced);
  makeTrue(world.aws.ec2, event);
  world.send(event);
  return planned.startTime;
}

/** Somebody else announces the same, and AWS has planned nothing. */
export function forge(world: VirtualWorld, announced: Announcement = {}): Instant {
  const { planned, event } = announcement(world, announced);
  world.send(event);
  return planned.startTime;
}

function announcement(world: VirtualWorld, { on = [1], ...said }: Announcement) {
  const since = world.timeline.now();
  const planned = {
    kind: "maintenance",
    id: crypto.randomUUID(),
    status: "open",
    event: retirement,
    eventType: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
    instances: on.map((index) => instanceId(instanceOf(index))),
    startTime: later(since, days(2)),
    since,
    ...said,
  } as const;
  return { planned, event: healthEventOf(planned) };
}

/** What the node with this number says of planned work. */
export const tracesOf = (world: VirtualWorld, index: number): readonly MaintenanceTrace[] =>
  tracesOn({ annotations: nodeNow(world, index).metadata.annotations ?? {} });
