import { type Ec2, newInstanceId } from "./ec2.ts";
import type { Group, LaunchTemplate } from "./group.ts";

/** An EC2 instance that a group has started. */
export interface Started {
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
