import { repairMessage } from "../../lambda/base/contract.ts";
import {
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
} from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { StatusCondition } from "../../sandbox/kubernetes/kube-object.ts";
import { wireTime } from "../../sandbox/kubernetes/kube-time.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { type UpgradeLand, UpgradeWorld, zones } from "./upgrade-world.ts";
import { instanceOf, nodeOf } from "./world-options.ts";

/** How often the schedule sends its message. */
const beat = minutes(5);

/** The options in which a repaired world differs from the default. */
export interface RepairLand extends UpgradeLand {
  /** How many messages the schedule sends at once. @default 1 */
  readonly messages?: number;
}

/** A world with a group of nodes whose ill ones are repaired, at the beat of a schedule. */
export class RepairWorld extends UpgradeWorld {
  /** When everything began. */
  readonly begunAt: Instant;
  readonly #messages: number;

  constructor({ messages = 1, ...land }: RepairLand = {}) {
    super({ size: 10, zones, ...land });
    this.#messages = messages;
    this.begunAt = this.timeline.now();
  }

  /** Lets so much time pass, in which the schedule sends its messages. */
  async goOn(lasts: Duration): Promise<void> {
    const ends = later(this.timeline.now(), lasts);
    const strike = (at: Instant): void => {
      if (at > ends) return;
      this.timeline.schedule(at, () => {
        const message = { ...repairMessage, time: new Date(at).toISOString() };
        for (let left = this.#messages; left > 0; left -= 1) this.send(message);
        strike(later(at, beat));
      });
    };
    strike(this.timeline.now());
    await this.workFor(lasts);
  }

  /** The kubelet of a numbered node stops for good. */
  silence(...indexes: readonly number[]): void {
    for (const index of indexes) this.cluster.stopKubelet(nodeOf(index));
  }

  /** The kubelet of a numbered node reports every five minutes, by its own clock. What is ill keeps its time. */
  reportAll(index: number, clockAhead: Duration): void {
    if (this.node(index) === undefined) return;
    const lastHeartbeatTime = wireTime(later(this.timeline.now(), clockAhead));
    const lastTransitionTime = wireTime(later(this.begunAt, milliseconds(clockAhead - hours(1))));
    this.cluster.store.update({ resource: nodes, name: nodeOf(index) }, (node) => {
      const conditions = (node.status.conditions ?? []).map((one) => {
        if (one.type === "KernelReady") return one;
        const reported = { ...one, lastHeartbeatTime };
        const isIll = one.type === "Ready" && one.status !== "True";
        return isIll ? reported : { ...reported, lastTransitionTime };
      });
      return { ...node, status: { ...node.status, conditions } };
    });
    this.in(minutes(5), () => this.reportAll(index, clockAhead));
  }

  /** The node monitoring agent finds something about the kernel of a node, or that it is well again. */
  kernel(index: number, status: StatusCondition["status"], reason = "KernelIsReady"): void {
    this.cluster.setCondition(nodeOf(index), { type: "KernelReady", status, reason, message: "" });
  }

  /** The numbers of the old instances that the group still has in service. */
  get inService(): readonly number[] {
    const ids = this.instances.filter(({ state }) => state === "InService").map(({ id }) => id);
    return this.#numbers.filter((index) => ids.includes(instanceOf(index)));
  }

  get #numbers(): readonly number[] {
    return Array.from({ length: this.before.desired }, (_, index) => index + 1);
  }

  /** The repairs that have begun, as the journal tells them. */
  get repaired(): readonly {
    readonly at: Instant;
    readonly index: number;
    readonly how: string;
  }[] {
    return this.told("repair-begun").map(({ at, instance = "", action }) => ({
      at,
      index: Number(instance.replace("i-", "")),
      how: action,
    }));
  }

  /** How many instances somebody has declared unhealthy by now. */
  get declared(): readonly string[] {
    return this.requests
      .filter(({ what }) => what.endsWith("SetInstanceHealth"))
      .map(({ body }) => {
        return new URLSearchParams(body).get("InstanceId") ?? "";
      });
  }

  node(index: number): Node | undefined {
    return this.cluster.store.tryGet({ resource: nodes, name: nodeOf(index) });
  }
}
