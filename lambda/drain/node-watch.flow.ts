import { answeredBy } from "../base/answered-by.ts";
import type { InstanceId } from "../base/ids.ts";
import {
  earliest,
  type Instant,
  instant,
  later,
  milliseconds,
  never,
  seconds,
} from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { causeAgain, nearestCause } from "./cause.ts";
import type { DrainPorts } from "./drain.port.ts";
import { causeOf } from "./drain-bounds.ts";
import {
  type EvictionLease,
  evictsUntil,
  leaseMarking,
  newLease,
  tryLease,
} from "./eviction-lease.ts";
import { hasEnded } from "./has-ended.ts";
import { markNode } from "./mark-node.flow.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { tryMarkedAt } from "./marking.ts";
import { type Node, runsOn } from "./node.ts";
import { othersLeaseEnds } from "./others-lease.flow.ts";
import { trustedFrom } from "./tiers.ts";

/** The state of a node during its drain. `not as marked` means that a later pass has to find and mark the node again. */
export type NodeState = "kept" | "gone" | "instance-ended" | "not as marked";

const every = seconds(20);
// The interval at which a process without the lease looks at it, and the pause before it writes a node that others just wrote.
const [following, contended] = [seconds(5), milliseconds(750)];
// A lease that takes longer to write is nearly over by then.
const triesFor = seconds(10);

/** Checks from time to time that the node is still the marked one, and marks it again if it was uncordoned. */
export class NodeWatch {
  readonly #ports: DrainPorts;
  #found: MarkedNode;
  #due: Instant;
  #lease: "unwanted" | "wanted" = "unwanted";
  #nextTry = instant(0);
  #triesUntil = never;

  constructor(found: MarkedNode, ports: DrainPorts) {
    this.#found = found;
    this.#ports = ports;
    this.#due = this.#next();
  }

  /** The node as it was last seen, and its last mark. */
  found(): MarkedNode {
    return this.#found;
  }

  /** When to look next. */
  due(): Instant {
    return this.#due;
  }

  /** Whether this process may evict the node's pods now. If not, the next look asks for the lease. */
  mayEvict(): boolean {
    if (this.#ports.clock.now() < this.#found.evictsUntil) return true;
    this.#lease = "wanted";
    this.#due = earliest(this.#due, this.#nextTry);
    return false;
  }

  /** Reads the node, and returns its state. */
  async look(): Promise<NodeState> {
    this.#due = this.#next();
    const seen = await this.#ports.cluster.node(this.#found.node.name);
    if (seen === "absent") return "gone";
    if (!isAsLeft(seen, this.#found)) return this.#markAgain(seen);
    const { cause, bounds } = this.#found;
    this.#found = {
      ...this.#found,
      node: seen,
      cause: nearestCause(cause, seen, bounds.begun, this.#ports.reasons),
    };
    if (this.#lease === "wanted") await this.#askForLease(seen);
    return (await isEnded(seen, this.#found.order.instance, this.#ports))
      ? "instance-ended"
      : "kept";
  }

  /** Takes the lease for this process, unless another one has it. */
  async #askForLease(seen: Node): Promise<void> {
    const { clock, process } = this.#ports;
    const now = clock.now();
    const theirs = othersLeaseEnds(seen, this.#ports);
    if (theirs > now) {
      this.#nextTry = earliest(theirs, later(now, following));
      return;
    }
    // Another drain of this process may have taken it.
    if (evictsUntil(tryLease(seen), process) > now) return this.#evictBy(tryLease(seen));
    this.#triesUntil = earliest(this.#triesUntil, later(now, triesFor));
    return this.#writeLease(newLease(process, now), seen);
  }

  async #writeLease(lease: EvictionLease, seen: Node): Promise<void> {
    const { clock, cluster, journal, process } = this.#ports;
    const writing = cluster
      .mark(seen, () => leaseMarking(lease))
      .catch((cause: unknown) => {
        journal.record(faultEntry(cause));
        return "unwritten" as const;
      });
    const answer = await answeredBy(this.#triesUntil, writing, clock);
    if (answer === "marked") return this.#evictBy(lease);
    const now = clock.now();
    if (answer === "gone" || (answer === "changed" && now < this.#triesUntil)) {
      this.#nextTry = later(now, contended);
      return;
    }
    // Nobody has the lease. If it cannot be written, the pods are evicted all the same: else they end unasked.
    if (answer !== "unwritten") this.#warnOf(whyUnwritten[answer]);
    this.#evictBy(newLease(process, now));
  }

  #warnOf(why: string): void {
    const about = `node ${this.#found.node.name}`;
    const warnings = [`its pods are evicted without the lease, for ${why}`];
    this.#ports.journal.record({ kind: "warning", about, warnings });
  }

  #evictBy(lease: EvictionLease | undefined): void {
    this.#lease = "unwanted";
    this.#nextTry = instant(0);
    this.#triesUntil = never;
    this.#found = { ...this.#found, evictsUntil: evictsUntil(lease, this.#ports.process) };
  }

  /** Marks the node at once: until then, every evicted pod may come back to it. */
  async #markAgain(seen: Node): Promise<NodeState> {
    const { order, cause, bounds } = this.#found;
    const { reasons } = this.#ports;
    if (!runsOn(seen, order.instance)) return "not as marked";
    const wish = {
      taints: order.settings.taints,
      cause: causeAgain(cause, causeOf(order.reason, order.start, reasons), seen, reasons),
      begun: bounds.begun,
      notBefore: this.#ports.clock.now(),
      lease: "take",
    } as const;
    const mark = await markNode(seen, wish, this.#ports);
    if (mark.kind === "gone") return "gone";
    if (mark.kind === "contended") return "not as marked";
    this.#found = {
      ...this.#found,
      node: seen,
      marked: mark.since,
      trustedFrom: trustedFrom(mark.since),
      evictsUntil: mark.evictsUntil,
      cause: mark.cause,
    };
    return "kept";
  }

  #next(): Instant {
    return later(this.#ports.clock.now(), every);
  }
}

const whyUnwritten = {
  changed: "others keep writing it",
  unanswered: "the API server does not answer",
} as const;

const isAsLeft = (seen: Node, { node, mark, order }: MarkedNode): boolean =>
  seen.uid === node.uid &&
  (mark === "missing" || tryMarkedAt(seen, order.settings.taints) !== undefined);

/** Whether the instance of a node has ended. If EC2 has no answer, the drain goes on. */
async function isEnded(
  node: Node,
  instance: InstanceId,
  { instances, journal }: DrainPorts,
): Promise<boolean> {
  if (node.readiness === "ready") return false;
  try {
    return hasEnded(node, await instances.describe(instance));
  } catch (cause) {
    journal.record(faultEntry(cause));
    return false;
  }
}
