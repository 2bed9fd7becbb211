import { type Ec2, newInstanceId } from "../ec2/ec2.ts";
import type { Group } from "./group.ts";

/** A machine a group has started. */
export interface Started {
  readonly id: string;
  readonly zone: string;
}

/** The machines under a group's instances. */
export interface Machines {
  start(group: Group, zone: string): Started;
  pause(instanceId: string): void;
  resume(instanceId: string): void;
  shutDown(instanceId: string): void;
  finish(instanceId: string): void;
}

/** The machines are EC2 instances. */
export class Ec2Machines implements Machines {
  readonly #ec2: Ec2;
  #started = 0;

  constructor(ec2: Ec2) {
    this.#ec2 = ec2;
  }

  start({ name, template, tags }: Group, zone: string): Started {
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
      tags: { "aws:autoscaling:groupName": name, ...Object.fromEntries(propagated) },
    });
    return { id, zone };
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

  /** A group may be told of an instance that EC2 does not know: then there is nothing to move. */
  #move(id: string, state: Parameters<Ec2["setState"]>[1]): void {
    if (this.#ec2.tryFind(id) !== undefined) this.#ec2.setState(id, state);
  }
}
