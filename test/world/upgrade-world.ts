import { groupName } from "../../lambda/base/ids.ts";
import { type Duration, hours, seconds } from "../../lambda/base/time.ts";
import { textOfTag } from "../../lambda/group/tags.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import { type UpgradeCommand, upgradeMessage } from "../../lambda/upgrade/upgrade-message.ts";
import type { Group, GroupInstance } from "../../sandbox/aws/group.ts";
import { joinNewInstances, type NewNodes } from "../../sandbox/instances-and-nodes.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { group, instanceOf, nodeOf, type WorldOptions } from "./world-options.ts";

/** The zones of the group, which its nodes are in one after the other. */
export const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"] as const;

/** The options in which an upgraded world differs from the default. */
export interface UpgradeLand extends Omit<WorldOptions, "nodes"> {
  /** @default 3 */
  readonly size?: number;
  /** @default 20 */
  readonly max?: number;
  /** @default the first alone, which keeps a surge small */
  readonly zones?: readonly string[];
  /** What new nodes are like. @default they join after 40 s, and are ready after 20 s more */
  readonly joining?: Partial<NewNodes>;
}

/** A world with a group of nodes of the first version of a template that has two. */
export class UpgradeWorld extends VirtualWorld {
  readonly before: Group;

  constructor(land: UpgradeLand = {}) {
    const {
      size = 3,
      max = 20,
      zones: chosen = zones.slice(0, 1),
      joining = {},
      ...options
    } = land;
    super({ cloudController: seconds(5), ...options, nodes: 0 });
    const { register, templates } = this.aws.autoScaling;
    register.put({
      ...register.findGroup(group),
      zones: chosen,
      max,
      min: 1,
      desired: size,
      launches: "by-itself",
    });
    for (let index = 1; index <= size; index += 1)
      this.#addOld(index, chosen[(index - 1) % chosen.length] ?? zones[0]);
    joinNewInstances(this, { group, boot: seconds(40), readies: seconds(20), ...joining });
    const { id } = this.group.template;
    const made = { imageId: "ami-00000000000000002", instanceType: undefined, description: "" };
    templates.make({ LaunchTemplateId: id }, { ...made, source: "1", token: "second" });
    this.before = this.group;
  }

  #addOld(index: number, zone: string): void {
    const id = instanceOf(index);
    this.aws.ec2.run({ id, zone, privateIp: `10.0.0.${index}` });
    this.aws.autoScaling.attach({ id, zone, group });
    this.cluster.addNode({ name: nodeOf(index), providerID: `aws:///${zone}/${id}` });
  }

  get group(): Group {
    return this.aws.autoScaling.register.findGroup(group);
  }

  get instances(): readonly GroupInstance[] {
    return this.aws.autoScaling.register.instancesOf(group);
  }

  /** The versions of the instances that the group has, each once. */
  get versions(): readonly string[] {
    return [...new Set(this.instances.map(({ template }) => template.version))];
  }

  /** The tags of the group that the product has written. */
  get ownTags(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.group.tags
        .filter(({ key }) => key.startsWith("eks-node-lifecycle/"))
        .map(({ key, value }) => [key.replace("eks-node-lifecycle/", ""), value]),
    );
  }

  get nodes(): readonly Node[] {
    return this.cluster.store.list(nodes);
  }

  /** The sizes of the group now. */
  get sizes(): { readonly min: number; readonly max: number; readonly desired: number } {
    const { min, max, desired } = this.group;
    return { min, max, desired };
  }

  /** The names of the old nodes whose instances upgrades have ended. */
  get replaced(): readonly string[] {
    return this.told("upgrade-nodes").flatMap(({ deed, nodes: names }) =>
      deed === "replaced" ? names : [],
    );
  }

  /** What is left of upgrades on nodes: annotations, cordons and labels. */
  get traces(): readonly string[] {
    return this.nodes.flatMap(({ metadata: { name, annotations = {}, labels = {} }, spec }) => [
      ...Object.keys({ ...annotations, ...labels })
        .filter((key) => /eks-node-lifecycle|scale-down-disabled|exclude-from/.test(key))
        .map((key) => `${name} ${key}`),
      ...(spec.unschedulable === true ? [`${name} is cordoned`] : []),
    ]);
  }

  /** What holds the upgrade, or why it fails, as the tags of the group say. */
  get issue(): string {
    const { "upgrade-issue": issue = "" } = this.ownTags;
    return textOfTag(issue);
  }

  /** How the last upgrade has ended, as the tags of the group say. */
  get ended(): string {
    const { "upgrade-ended": ended = "", "upgrade-ended-issue": issue = "" } = this.ownTags;
    const outcome = /outcome=(\S+)/.exec(ended)?.[1] ?? "not yet";
    return [outcome, ...(issue === "" ? [] : [textOfTag(issue)])].join(": ");
  }

  /** Sends a message about the upgrade of the group. */
  command(command: Pick<UpgradeCommand, "id" | "kind">): void {
    const about = { group: groupName(group), of: "0badcafe" };
    const message = upgradeMessage({ ...about, ...command } as UpgradeCommand);
    this.aws.sns.publish(this.topicArn, { subject: "", message });
  }

  /** Starts the upgrade to version 2. */
  start(options: Partial<UpgradeOptions> = {}, id = "0badcafe"): void {
    const start = { kind: "start", id, to: { kind: "version", version: 2 } } as const;
    this.command({ ...start, options: { ...usualOptions, ...options } } as UpgradeCommand);
  }

  /** Upgrades the group, and lets the function work until nothing is left to do. */
  async upgraded(
    options: Partial<UpgradeOptions> = {},
    atMost: Duration = hours(49),
  ): Promise<this> {
    this.start(options);
    await this.work(atMost);
    return this;
  }
}
