import type { InstanceId } from "../base/ids.ts";
import { type Duration, type Instant, minutes } from "../base/time.ts";
import type { InterruptibleCapacity } from "../group/ec2-instance.ts";
import type { AnyNotice } from "../notice/notice.ts";
import type { NoticeWords, WordsFor } from "../notice/notice-words.ts";
import type { Subject } from "../notice/subject.ts";

/**
 * EC2 takes an instance this long after its event, where that names no other time.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitor-interruptible-cr.html
 */
export const usualWarning = minutes(2);

/** EC2 takes an instance back in two minutes: a Spot instance, or one of a Capacity Reservation. */
export interface Interrupted {
  readonly kind: "interrupted";
  readonly instance: InstanceId;
  readonly capacity: InterruptibleCapacity;
  /** The time from the event to the end of the instance. */
  readonly warning: Duration;
  readonly action: "terminate" | "stop" | "hibernate";
  readonly since: Instant;
}

/** EC2 may take a Spot instance back soon, or never. */
export interface AtRisk {
  readonly kind: "at-risk";
  readonly instance: InstanceId;
  readonly since: Instant;
}

/** AWS plans work on the hosts of instances, as AWS Health reports; a closed event calls the work off. */
export interface Maintenance {
  readonly kind: "maintenance";
  /** The id of the event of EventBridge. */
  readonly id: string;
  /** Every affected instance, each once; never empty. */
  readonly instances: readonly InstanceId[];
  readonly status: "open" | "upcoming" | "closed";
  /** When the work begins. */
  readonly startTime: Instant;
  /** The ARN of the Health event. */
  readonly event: string;
  /** The planned work, such as `AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED`. */
  readonly eventType: string;
  readonly since: Instant;
}

/** A Capacity Block ends, and EC2 ends the instances in it before. */
export interface BlockExpiring {
  readonly kind: "block-expiring";
  /** The id of the event of EventBridge. */
  readonly id: string;
  /** The id of its Capacity Reservation, such as `cr-0123456789abcdef0`. */
  readonly reservation: string;
  /** An instance in the block, or each. */
  readonly instance: InstanceId | "each";
  readonly since: Instant;
}

/** The notices that the function itself sends, about one instance of many. */
export type PassedOn = BlockExpiring | Maintenance;

/** Somebody stops or terminates an instance without asking its group. */
export interface Stopping {
  readonly kind: "stopping";
  readonly instance: InstanceId;
  readonly state: "stopping" | "shutting-down";
  readonly since: Instant;
}

/** An instance no longer runs: all that is left is to clean up after it. */
export interface Stopped {
  readonly kind: "stopped";
  readonly instance: InstanceId;
  readonly state: "stopped" | "terminated";
  readonly since: Instant;
}

/** The notices of events, which no hook holds. */
export type EventNotice = AtRisk | BlockExpiring | Interrupted | Maintenance | Stopped | Stopping;

const aboutOne: NoticeWords<AnyNotice & { readonly instance: InstanceId }> = {
  title: ({ kind, instance }) => `${kind} ${instance}`,
  subject: ({ instance }) => ({ instance }),
};

export const eventWords: WordsFor<EventNotice> = {
  interrupted: aboutOne,
  "at-risk": aboutOne,
  "block-expiring": {
    title: ({ reservation, instance }) =>
      `block-expiring ${instance === "each" ? reservation : instance}`,
    subject: ({ instance }) => (instance === "each" ? {} : { instance }),
  },
  maintenance: {
    title: ({ instances }) => `maintenance ${someOf(instances)}`,
    subject: ({ instances }) => ofOne(instances),
  },
  stopping: aboutOne,
  stopped: aboutOne,
};

const ofOne = ([instance, ...others]: readonly InstanceId[]): Subject =>
  instance === undefined || others.length > 0 ? {} : { instance };

const shown = 5;

/** Names a few of the instances; a Health event may affect thousands. */
function someOf(instances: readonly InstanceId[]): string {
  const first = instances.slice(0, shown).join(", ");
  return instances.length <= shown ? first : `${first} and ${instances.length - shown} others`;
}
