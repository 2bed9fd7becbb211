import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Dated } from "../../journal/entry.ts";
import { between, type Duration, type Instant, later, seconds } from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import { endingsIn, eventsIn, evictedIn } from "../world/evidence.ts";
import { LaunchWorld } from "../world/launch-world.ts";
import { makeTrue } from "../world/true-event.ts";
import { deploy, podsOn } from "../world/workloads.ts";
import { group, hook, instanceOf, nodeOf } from "../world/world-options.ts";
import {
  type HandlerPlan,
  type HandlerSite,
  handlerTaint,
  type Look,
  withoutTests,
} from "./handler-site.ts";

const { key, value, effect } = handlerTaint;
const settings = { DRAIN_TAINT: `${key}=${value}:${effect}` };

/** A site in virtual time, in a world of its own. */
export class VirtualSite implements HandlerSite {
  readonly instance = instanceOf(1);
  readonly #world: LaunchWorld;
  #sent = 0;

  constructor({ tags, endsIn }: HandlerPlan) {
    const prefixed = Object.entries(tags).map(([name, text]) => [
      `eks-node-lifecycle/${name}`,
      text,
    ]);
    const given = { settings, tags: Object.fromEntries(prefixed) };
    this.#world = new LaunchWorld({ ...given, mapRoles: "" });
    const annotations = { "hollow/term-seconds": String(endsIn) };
    const spec = { terminationGracePeriodSeconds: endsIn + 15 };
    deploy(this.#world, { name: "regular-pod-test", annotations, spec, on: { 1: 1 } });
    this.#world.pass(seconds(10));
  }

  now(): Instant {
    return this.#world.timeline.now();
  }

  launch(): void {
    this.#world.launch();
    this.#sent += 1;
  }

  async join(): Promise<void> {
    await this.#world.work(seconds(5));
    this.#world.join();
  }

  terminate(): void {
    this.#world.terminate(1);
    this.#sent += 1;
  }

  deliver(event: object): void {
    makeTrue(this.#world.aws.ec2, event);
    this.#world.send(event);
    this.#sent += 1;
  }

  async worked(): Promise<void> {
    await this.#workUntil(() => this.told("notice-done").length >= this.#sent);
    expect(this.told("notice-done")).toHaveLength(this.#sent);
  }

  async looks(look: Look): Promise<void> {
    await this.#workUntil(() => isDeepStrictEqual(this.#look(), look));
    expect(this.#look()).toEqual(look);
  }

  async #workUntil(isDone: () => boolean): Promise<void> {
    for (let second = 0; second < 120 && !isDone(); second += 1) {
      const until = later(this.now(), seconds(1));
      await this.#world.work(seconds(1));
      this.#world.pass(between(this.now(), until));
    }
  }

  #look(): Look {
    const { spec } = nodeNow(this.#world, 1);
    const taints = spec.taints ?? [];
    return {
      cordoned: spec.unschedulable === true,
      tainted: taints.some((taint) => taint.key === key),
      pod: podsOn(this.#world, 1).length > 0 ? "runs" : "waits",
    };
  }

  hurryHook(heartbeat: Duration): void {
    this.#world.aws.autoScaling.putHook(group, { name: hook, heartbeat });
  }

  async loseNode(): Promise<void> {
    this.#world.cluster.removeNode(nodeOf(1));
  }

  endings(): readonly string[] {
    return endingsIn(this.#world);
  }

  async evictions(): Promise<number> {
    return evictedIn(this.#world).length;
  }

  async events(): Promise<readonly string[]> {
    return eventsIn(this.#world)
      .filter(({ regarding }) => regarding.name === nodeOf(1))
      .map(({ reason }) => reason)
      .toSorted();
  }

  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    return withoutTests(this.#world.told(kind));
  }
}
