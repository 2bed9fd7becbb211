import { randomUUID } from "node:crypto";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { noSuchGroup, noSuchInstance } from "./aws-error.ts";
import { type Group, type GroupInstance, type GroupSpec, groupDefaults } from "./group.ts";

/** A group's name and zones, and the settings that differ from the defaults. */
export type NewGroup = Pick<GroupSpec, "name" | "zones"> & Partial<GroupSpec>;

/** Receives every change of an instance's state in its group; `Terminated` is the last one. */
export type InstanceListener = (instance: GroupInstance) => void;

/** All groups and their instances. */
export class GroupRegister {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #groups = new Map<string, Group>();
  readonly #instances = new Map<string, GroupInstance>();
  readonly #listeners: InstanceListener[] = [];

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  onChange(listener: InstanceListener): void {
    this.#listeners.push(listener);
  }

  create(spec: NewGroup): Group {
    const resource = `autoScalingGroup:${randomUUID()}:autoScalingGroupName/${spec.name}`;
    const arn = arnOf(this.#account, "autoscaling", resource);
    const made = { arn, createdAt: this.#timeline.now(), hooks: [] };
    return this.put({ ...groupDefaults, ...spec, ...made });
  }

  put(group: Group): Group {
    this.#groups.set(group.name, group);
    return group;
  }

  groups(): readonly Group[] {
    return [...this.#groups.values()];
  }

  tryFindGroup(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  findGroup(name: string): Group {
    const group = this.tryFindGroup(name);
    if (group === undefined) throw noSuchGroup();
    return group;
  }

  /** The instances of every group, in the order they joined. */
  instances(): readonly GroupInstance[] {
    return [...this.#instances.values()];
  }

  instancesOf(group: string): readonly GroupInstance[] {
    return this.instances().filter((instance) => instance.group === group);
  }

  findInstance(id: string): GroupInstance {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw noSuchInstance(id);
    return instance;
  }

  /** Stores the present state of an instance; a `Terminated` instance leaves the group. */
  putInstance(instance: GroupInstance): GroupInstance {
    if (instance.state === "Terminated") this.#instances.delete(instance.id);
    else this.#instances.set(instance.id, instance);
    for (const listener of this.#listeners) listener(instance);
    return instance;
  }
}
