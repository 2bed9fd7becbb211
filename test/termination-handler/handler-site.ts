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

// As Node Termination Handler's `taintNode` sets one.
const key = "example.com/going";
const settings = { DRAIN_TAINT: `${key}=true:NoSchedule` };

/** How a node looks, and what has become of the only pod of the Deployment that runs there. */
export interface Look {
  readonly cordoned: boolean;
  /** Whether it has the taint that the deployment puts on nodes that are going. */
  readonly tainted: boolean;
  /** `waits` when the pod was evicted and its replacement finds no node. */
  readonly pod: "runs" | "waits";
}

/** What is given in a scenario. */
export interface HandlerPlan {
  /** Tags of the group, without their prefix. */
  readonly tags: Readonly<Record<string, string>>;
  /** How many seconds the pod takes to end; its grace is longer. */
  readonly endsIn: number;
}

/** A node of a managed group in virtual time, with a Deployment's only pod that no other node may take. */
export class HandlerSite {
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

  /** Auto Scaling launches another instance into the group, and its launch hook holds it. */
  launch(): void {
    this.#world.launch();
    this.#sent += 1;
  }

  /** The node of that instance joins the cluster. */
  async join(): Promise<void> {
    await this.#world.work(seconds(5));
    this.#world.join();
  }

  /** Auto Scaling terminates the instance, and its terminate hook holds it. */
  terminate(): void {
    this.#world.terminate(1);
    this.#sent += 1;
  }

  /** EventBridge delivers an event. */
  deliver(event: object): void {
    makeTrue(this.#world.aws.ec2, event);
    this.#world.send(event);
    this.#sent += 1;
  }

  /** Waits until the function is done with every notice about the instance. */
  async worked(): Promise<void> {
    await this.#workUntil(() => this.told("notice-done").length >= this.#sent);
    expect(this.told("notice-done")).toHaveLength(this.#sent);
  }

  /** Waits until the site looks so. */
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

  /** The hook times out so soon without a heartbeat. */
  hurryHook(heartbeat: Duration): void {
    this.#world.aws.autoScaling.putHook(group, { name: hook, heartbeat });
  }

  /** Somebody deletes the node, and its kubelet does not register it again. */
  loseNode(): void {
    this.#world.cluster.removeNode(nodeOf(1));
  }

  /** How the lifecycle actions of the group ended. */
  endings(): readonly string[] {
    return endingsIn(this.#world);
  }

  /** How often the function has evicted the pod, or any replacement. */
  evictions(): number {
    return evictedIn(this.#world).length;
  }

  /** The reasons of the Events that the function has recorded at the node, in alphabetical order. */
  events(): readonly string[] {
    return eventsIn(this.#world)
      .filter(({ regarding }) => regarding.name === nodeOf(1))
      .map(({ reason }) => reason)
      .toSorted();
  }

  /** The function's journal entries of one kind, without what a hook's own test notice came to. */
  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    const told = this.#world.told(kind);
    return told.filter((entry) => !("notice" in entry && entry.notice.startsWith("test")));
  }
}
