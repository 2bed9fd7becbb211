import { lookEvery, type Target, targetLine } from "../../domain/balancer/target.ts";
import {
  heldByTargets,
  leftAloneFrom,
  type TargetClock,
  type Targets,
} from "../../domain/balancer/target-wait.ts";
import type { Step } from "../../domain/drain/snapshot.ts";
import { earliest, type Instant, later, never, seconds } from "../../domain/time.ts";
import { faultOf } from "../../fault.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Recurring } from "../background-task.ts";
import { faultEntry } from "../fault-entry.ts";
import type { Emptying } from "./emptying.ts";

// The first answers take less, even when the API throttles; a drain that gets none begins without them.
const patience = seconds(10);

/** What a watch needs to know of a drain. */
export interface Watched
  extends Pick<Emptying, "bounds" | "instance" | "marked" | "settings" | "vpc"> {
  readonly node: Pick<Emptying["node"], "name">;
}

/** Follows what load balancers do with the instance of a node, and holds the steps of the drain back for them. */
export class BalancerWatch implements Recurring<void> {
  readonly #emptying: Watched;
  readonly #ports: Ports;
  #targets: Targets;
  #due: Instant;
  /** What was told last, so that it is told once. */
  #told = "";

  constructor(emptying: Watched, ports: Ports) {
    const now = ports.clock.now();
    this.#emptying = emptying;
    this.#ports = ports;
    const isWanted = emptying.settings.targetTimeout > 0;
    this.#targets = isWanted ? { kind: "unread", until: later(now, patience) } : { kind: "none" };
    this.#due = isWanted ? now : never;
  }

  /** When to look next; never once every load balancer has let the instance go. */
  due(): Instant {
    return this.#due;
  }

  /** Looks at the load balancers. An error goes to the journal, and the drain goes on all the same. */
  async work(): Promise<void> {
    try {
      await this.#look();
    } catch (cause) {
      this.#ports.journal.record(faultEntry(cause));
      this.#failed(faultOf(cause).code === "aws.unreachable" ? "for now" : "for good");
    }
  }

  /** The step that the load balancers allow. */
  held(step: Step): Step {
    return heldByTargets(step, this.#targets, this.#clock());
  }

  /** Whether the instance is about to leave its load balancers, and the drain still waits for that. */
  isLeaving(): boolean {
    const leaves = this.#registered().some(({ state }) => state === "draining");
    return leaves && this.held({ kind: "finish", outcome: "expired" }).kind !== "finish";
  }

  /** The load balancers that have not let the instance go, one line each. */
  left(): readonly string[] {
    if (this.#targets.kind === "unread") return ["load balancers: they have not answered yet"];
    return this.#registered().map(targetLine);
  }

  async #look(): Promise<void> {
    const { balancers } = this.#ports;
    const { instance, vpc } = this.#emptying;
    const known = this.#targets;
    const targets =
      known.kind === "read"
        ? await balancers.look(known.targets)
        : await balancers.targetsOf(instance, vpc);
    this.#learn(targets);
    if (this.#isLeftAlone()) {
      await this.#deregister(this.#inService());
      this.#learn(await balancers.look(targets));
    }
    this.#due = this.#next();
  }

  #learn(targets: readonly Target[]): void {
    this.#targets = { kind: "read", targets };
    this.#tell();
  }

  /** What is known stays known. What may never be known is not waited for. */
  #failed(how: "for good" | "for now"): void {
    if (how === "for good" && this.#targets.kind === "unread") this.#targets = { kind: "none" };
    this.#due = how === "for good" ? never : later(this.#ports.clock.now(), lookEvery(0));
  }

  async #deregister(targets: readonly Target[]): Promise<void> {
    await this.#ports.balancers.deregister(targets);
    const { name: node } = this.#emptying.node;
    const lines = targets.map(targetLine);
    this.#ports.journal.record({ kind: "targets-deregistered", node, targets: lines });
  }

  #isLeftAlone(): boolean {
    const isWished = this.#emptying.settings.deregister === "if-nobody-does";
    const clock = this.#clock();
    return isWished && this.#inService().length > 0 && clock.now >= leftAloneFrom(clock);
  }

  #next(): Instant {
    const registered = this.#registered();
    if (registered.length === 0) return never;
    const { now } = this.#clock();
    const next = later(now, lookEvery(registered.length));
    const alone = leftAloneFrom(this.#clock());
    return alone > now ? earliest(next, alone) : next;
  }

  #tell(): void {
    const { name: node } = this.#emptying.node;
    const targets = this.left();
    const told = targets.join();
    if (told === this.#told) return;
    this.#told = told;
    this.#ports.journal.record(
      targets.length === 0
        ? { kind: "targets-gone", node }
        : { kind: "targets-awaited", node, targets },
    );
  }

  #registered(): readonly Target[] {
    const targets = this.#targets.kind === "read" ? this.#targets.targets : [];
    return targets.filter(({ state }) => state !== "out");
  }

  #inService(): readonly Target[] {
    return this.#registered().filter(({ state }) => state !== "draining");
  }

  #clock(): TargetClock {
    const { marked, bounds, settings } = this.#emptying;
    const { deadline, heldUntil } = bounds;
    return {
      now: this.#ports.clock.now(),
      marked,
      deadline,
      heldUntil,
      timeout: settings.targetTimeout,
    };
  }
}
