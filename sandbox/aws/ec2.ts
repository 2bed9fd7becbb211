import { randomBytes } from "node:crypto";
import { type Duration, hours, type Instant, later } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { AwsError } from "./aws-error.ts";
import type { Group, LaunchTemplate } from "./group.ts";

/** The present state of an instance. */
export type InstanceState =
  | "pending"
  | "running"
  | "shutting-down"
  | "stopped"
  | "stopping"
  | "terminated";

/** The parameters with which an instance starts. */
export interface InstanceSpec {
  readonly id: string;
  readonly zone: string;
  readonly type: string;
  readonly imageId: string;
  readonly privateDnsName: string;
  readonly privateIp: string;
  readonly vpc: string;
  readonly platform: "linux" | "windows";
  /** Empty for an instance without one. */
  readonly profileArn: string;
  readonly lifecycle:
    | "capacity-block"
    | "interruptible-capacity-reservation"
    | "on-demand"
    | "spot";
  /** The id of the Capacity Reservation that it runs in; empty for none. */
  readonly reservation: string;
  /** `configured` if it was launched so that it can hibernate. */
  readonly hibernation: "configured" | "none";
  readonly tags: Readonly<Record<string, string>>;
}

/** An instance as it is now. */
export interface Ec2Instance extends InstanceSpec {
  readonly state: InstanceState;
  readonly launchedAt: Instant;
  /** When it came into this state. */
  readonly since: Instant;
}

/** Capacity that is reserved for instances, for a time or until somebody cancels it. */
export interface CapacityReservation {
  readonly id: string;
  readonly type: "capacity-block" | "default";
  readonly state: "active" | "cancelled" | "expired" | "scheduled";
  readonly instanceType: string;
  readonly ends: Instant;
}

type NewReservation = Omit<CapacityReservation, "ends"> & { readonly endsIn: Duration };

/** Work that AWS has planned on the host of an instance. */
export interface ScheduledEvent {
  readonly id: string;
  readonly code:
    | "instance-reboot"
    | "instance-retirement"
    | "instance-stop"
    | "system-maintenance"
    | "system-reboot";
  readonly notBefore: Instant;
  /** Begins with `[Completed]` once it is over. */
  readonly description: string;
}

/** Receives every change of an instance's state, as EventBridge does. */
export type StateListener = (instance: Ec2Instance) => void;

/**
 * The time for which DescribeInstances still shows a terminated instance.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html
 */
const afterlife = hours(1);

/** Makes up an instance id. */
const newInstanceId = (): string => `i-${randomBytes(9).toString("hex").slice(0, 17)}`;

/** The defaults of an instance. */
const usual = {
  type: "m6i.large",
  imageId: "ami-0123456789abcdef0",
  vpc: "vpc-0a1b2c3d4e5f60718",
  platform: "linux",
  profileArn: "",
  lifecycle: "on-demand",
  reservation: "",
  hibernation: "none",
  tags: {},
} as const;

type NewInstance = Pick<InstanceSpec, "id" | "privateIp" | "zone"> &
  Partial<InstanceSpec & Pick<Ec2Instance, "launchedAt">>;

/** The instances of an account. */
export class Ec2 {
  readonly #timeline: Timeline;
  readonly #instances = new Map<string, Ec2Instance>();
  readonly #scheduled = new Map<string, readonly ScheduledEvent[]>();
  readonly #reservations = new Map<string, CapacityReservation>();
  readonly #listeners: StateListener[] = [];
  readonly #rebootListeners: StateListener[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  onStateChange(listener: StateListener): void {
    this.#listeners.push(listener);
  }

  /** Calls the listener for every instance that somebody reboots, which stays in its state. */
  onReboot(listener: StateListener): void {
    this.#rebootListeners.push(listener);
  }

  /** Reboots an instance; a terminated one does not mind. */
  reboot(id: string): void {
    const instance = this.find(id);
    if (instance.state === "running")
      for (const listener of this.#rebootListeners) listener(instance);
  }

  /** Starts an instance; it runs at once unless the caller names a state. */
  run(spec: NewInstance, state: InstanceState = "running"): Ec2Instance {
    const region = spec.zone.replace(/[a-z]$/, "");
    const host = `ip-${spec.privateIp.replaceAll(".", "-")}`;
    const now = this.#timeline.now();
    const named = { privateDnsName: `${host}.${region}.compute.internal` };
    const instance = { ...usual, ...named, launchedAt: now, ...spec, state, since: now };
    this.#instances.set(spec.id, instance);
    this.#tell(instance);
    return instance;
  }

  setState(id: string, state: InstanceState): void {
    const instance = this.find(id);
    if (instance.state === state) return;
    const changed = { ...instance, state, since: this.#timeline.now() };
    this.#instances.set(id, changed);
    this.#tell(changed);
  }

  /** Plans work on the host of an instance; an event of the same id gets the new date or description. */
  schedule(id: string, event: ScheduledEvent): void {
    const others = this.scheduled(id).filter((one) => one.id !== event.id);
    this.#scheduled.set(id, [...others, event]);
  }

  /** Every event of an instance that DescribeInstanceStatus shows. */
  scheduled(id: string): readonly ScheduledEvent[] {
    return this.#scheduled.get(id) ?? [];
  }

  /** Changes how an instance was bought. */
  buy(id: string, lifecycle: InstanceSpec["lifecycle"]): void {
    this.#instances.set(id, { ...this.find(id), lifecycle });
  }

  /** Reserves capacity for some time from now on, or changes a reservation. */
  reserve({ endsIn, ...reservation }: NewReservation): void {
    const ends = later(this.#timeline.now(), endsIn);
    this.#reservations.set(reservation.id, { ...reservation, ends });
  }

  /** Every Capacity Reservation of the account. */
  reservations(): readonly CapacityReservation[] {
    return [...this.#reservations.values()];
  }

  /** Lets an instance run in a Capacity Block. */
  enterBlock(id: string, reservation: string): void {
    this.#instances.set(id, { ...this.find(id), lifecycle: "capacity-block", reservation });
  }

  /** Gives an instance more tags. */
  tag(id: string, tags: Ec2Instance["tags"]): void {
    const instance = this.find(id);
    this.#instances.set(id, { ...instance, tags: { ...instance.tags, ...tags } });
  }

  /** Every instance that DescribeInstances still shows. */
  all(): readonly Ec2Instance[] {
    const now = this.#timeline.now();
    return [...this.#instances.values()].filter(
      ({ state, since }) => state !== "terminated" || later(since, afterlife) > now,
    );
  }

  tryFind(id: string): Ec2Instance | undefined {
    return this.all().find((instance) => instance.id === id);
  }

  /** Finds an instance by its id. */
  find(id: string): Ec2Instance {
    const instance = this.tryFind(id);
    if (instance !== undefined) return instance;
    throw new AwsError("InvalidInstanceID.NotFound", `The instance ID '${id}' does not exist`);
  }

  #tell(instance: Ec2Instance): void {
    for (const listener of this.#listeners) listener(instance);
  }
}

/** An EC2 instance that a group has started. */
interface Started {
  readonly id: string;
  readonly zone: string;
}

/** Starts, stops and terminates the EC2 instances of groups. */
export class Ec2Instances {
  readonly #ec2: Ec2;
  #started = 0;

  constructor(ec2: Ec2) {
    this.#ec2 = ec2;
  }

  /** Starts an instance of a group from a launch template. */
  start({ name, tags, lifecycle }: Group, template: LaunchTemplate, zone: string): Started {
    this.#started += 1;
    const host = this.#started;
    const propagated = tags.filter((tag) => tag.propagated).map((tag) => [tag.key, tag.value]);
    const { id } = this.#ec2.run({
      id: newInstanceId(),
      zone,
      privateIp: `192.168.${100 + Math.floor(host / 250)}.${1 + (host % 250)}`,
      type: template.instanceType,
      imageId: template.imageId,
      platform: template.platform,
      profileArn: template.profileArn,
      lifecycle,
      tags: { "aws:autoscaling:groupName": name, ...Object.fromEntries(propagated) },
    });
    return { id, zone };
  }

  /** Tags an instance that was attached to a group, as Auto Scaling tags those that it starts. */
  adopt(instanceId: string, group: string): void {
    if (this.#ec2.tryFind(instanceId) === undefined) return;
    this.#ec2.tag(instanceId, { "aws:autoscaling:groupName": group });
  }

  pause(instanceId: string): void {
    this.#move(instanceId, "stopping");
    this.#move(instanceId, "stopped");
  }

  resume(instanceId: string): void {
    this.#move(instanceId, "pending");
    this.#move(instanceId, "running");
  }

  shutDown(instanceId: string): void {
    this.#move(instanceId, "shutting-down");
  }

  finish(instanceId: string): void {
    this.#move(instanceId, "terminated");
  }

  /** A group may hold an instance that EC2 does not know: then no EC2 state changes. */
  #move(id: string, state: Parameters<Ec2["setState"]>[1]): void {
    if (this.#ec2.tryFind(id) !== undefined) this.#ec2.setState(id, state);
  }
}
