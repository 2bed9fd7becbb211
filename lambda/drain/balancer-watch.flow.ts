import { faultOf } from "../base/fault.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import type { Recurring } from "../notice/background-task.flow.ts";
import type { Journal } from "../notice/journal.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { type Note, noteLines } from "../notice/outcome.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { DrainBounds } from "./drain-bounds.ts";
import type { DrainEntry } from "./drain-entry.ts";
import type { DrainSettings } from "./drain-policy.ts";
import type { Step } from "./snapshot.ts";
import { lookEvery, type Target, targetNote } from "./target.ts";
import { heldByTargets, leftAloneFrom, type TargetClock, type Targets } from "./target-wait.ts";

/** Records which load balancers a drain waits for, and when none has the instance registered any more. */
class TargetLog {
  readonly #node: NodeName;
  readonly #journal: Journal<DrainEntry>;
  /** The last recorded state, so that each state is recorded once. */
  #recorded = "";

  constructor(node: NodeName, journal: Journal<DrainEntry>) {
    this.#node = node;
    this.#journal = journal;
  }

  /** Records the load balancers that have not deregistered the instance, one line each, if they have changed. */
  tell(targets: readonly string[]): void {
    const now = targets.join();
    if (now === this.#recorded) return;
    this.#recorded = now;
    const node = this.#node;
    this.#journal.record(
      targets.length === 0
        ? { kind: "targets-gone", node }
        : { kind: "targets-awaited", node, targets },
    );
  }
}

// The first answers usually come sooner, even when the API throttles. After this time the drain begins without them.
const firstAnswerWait = seconds(10);

const mayPass = (cause: unknown) => faultOf(cause).code === "aws.unreachable";

const isSameTarget = (one: Target) => (other: Target) =>
  one.balancer.id === other.balancer.id && one.port === other.port;

/** The facts about a drain that a watch needs. */
export interface Watched {
  readonly instance: InstanceId;
  /** The VPC of the instance; empty if unknown. */
  readonly vpc: string;
  readonly node: NodeName;
  readonly marked: Instant;
  readonly settings: DrainSettings;
  /** The bounds of the drain as they are now. */
  readonly bounds: () => DrainBounds;
}

/** Follows what load balancers do with the instance of a node, and holds the steps of the drain back for them. */
export class BalancerWatch implements Recurring<void> {
  readonly #watched: Watched;
  readonly #ports: DrainPorts;
  readonly #log: TargetLog;
  #targets: Targets;
  #due: Instant;
  #deregisters: DrainSettings["deregister"];

  constructor(watched: Watched, ports: DrainPorts) {
    const now = ports.clock.now();
    this.#watched = watched;
    this.#ports = ports;
    this.#log = new TargetLog(watched.node, ports.journal);
    const isWanted = watched.settings.targetTimeout > 0;
    this.#targets = isWanted
      ? { kind: "unread", until: later(now, firstAnswerWait), targets: [] }
      : { kind: "none" };
    this.#due = isWanted ? now : never;
    this.#deregisters = watched.settings.deregister;
  }

  /** The time of the next look; never, once no load balancer has the instance registered. */
  due(): Instant {
    return this.#due;
  }

  /** Looks at the load balancers. An error goes to the journal, and the drain goes on all the same. */
  async work(): Promise<void> {
    try {
      await this.#look();
    } catch (cause) {
      this.#ports.journal.record(faultEntry(cause));
      this.#failed(mayPass(cause) ? "for now" : "for good");
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

  /** The load balancers that have not deregistered the instance. */
  left(): readonly Note[] {
    const notes = this.#registered().map(targetNote);
    if (this.#targets.kind !== "unread") return notes;
    const about = notes.length === 0 ? "load balancers" : "other load balancers";
    return [...notes, { about, why: "they have not answered yet" }];
  }

  async #look(): Promise<void> {
    const { balancers } = this.#ports;
    const { instance, vpc } = this.#watched;
    const known = this.#targets;
    const found = (targets: readonly Target[]) => this.#found(targets);
    // After a failure: those that had answered may have let the instance go since.
    if (known.kind === "unread")
      this.#targets = { ...known, targets: await balancers.look(known.targets, found) };
    const isRead = known.kind === "read";
    const look = isRead
      ? balancers.look(known.targets, found)
      : balancers.targetsOf(instance, vpc, found);
    this.#learn(await look);
    if (this.#isLeftAlone()) {
      await this.#deregister(this.#inService());
      this.#learn(await balancers.look(this.#registered(), found));
    }
    this.#due = this.#next();
  }

  /** Keeps the answers of some load balancers: the others may answer late, or not at all. */
  #found(targets: readonly Target[]): void {
    const known = this.#targets;
    if (known.kind === "none") return;
    const others = known.targets.filter((one) => !targets.some(isSameTarget(one)));
    this.#targets = { ...known, targets: [...others, ...targets] };
  }

  #learn(targets: readonly Target[]): void {
    this.#targets = { kind: "read", targets };
    this.#log.tell(noteLines(this.left()));
  }

  /**
   * Keeps what was read. After a failure that does not pass, a watch that has read nothing ends, and the drain waits for no
   * load balancer.
   */
  #failed(how: "for good" | "for now"): void {
    if (how === "for good" && this.#targets.kind === "unread") this.#targets = { kind: "none" };
    this.#due = how === "for good" ? never : later(this.#ports.clock.now(), lookEvery(0));
  }

  /** Deregisters the targets. If that is denied, the watch only looks whether another controller does it. */
  async #deregister(targets: readonly Target[]): Promise<void> {
    const { balancers, journal } = this.#ports;
    try {
      await balancers.deregister(targets);
      const { node } = this.#watched;
      const lines = noteLines(targets.map(targetNote));
      journal.record({ kind: "targets-deregistered", node, targets: lines });
    } catch (cause) {
      if (mayPass(cause)) throw cause;
      this.#deregisters = "never";
      journal.record(faultEntry(cause));
    }
  }

  #isLeftAlone(): boolean {
    if (this.#deregisters === "never") return false;
    const clock = this.#clock();
    return this.#inService().length > 0 && clock.now >= leftAloneFrom(clock);
  }

  #next(): Instant {
    const registered = this.#registered();
    if (registered.length === 0) return never;
    const { now } = this.#clock();
    const next = later(now, lookEvery(registered.length));
    const alone = leftAloneFrom(this.#clock());
    return alone > now ? earliest(next, alone) : next;
  }

  #registered(): readonly Target[] {
    const targets = this.#targets.kind === "none" ? [] : this.#targets.targets;
    return targets.filter(({ state }) => state !== "out");
  }

  #inService(): readonly Target[] {
    return this.#registered().filter(({ state }) => state !== "draining");
  }

  #clock(): TargetClock {
    const { marked, bounds, settings } = this.#watched;
    const now = this.#ports.clock.now();
    return { ...bounds(), now, marked, timeout: settings.targetTimeout };
  }
}
