import type { NodeUid } from "../base/ids.ts";
import {
  between,
  type Duration,
  type Instant,
  later,
  milliseconds,
  minutes,
} from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";

/** A node whose last writes by an upgrade have all failed, or were undone by others at once. */
interface FailedWrite {
  readonly upgrade: string;
  readonly since: Instant;
  readonly last: Instant;
  /** Whether others undo its writes: that one works then says nothing. */
  readonly isUndone: boolean;
  /** Whether other nodes could be written when these writes had failed for long: `then` until this node has failed again. */
  readonly othersWork: "no" | "then" | "still";
}

type Written = Pick<MachineNode, "uid">;

/** An API server that is replaced answers no write for some minutes, and people mend a policy that refuses one. */
export const longestFailing = minutes(30);

// A pass that finds its writes undone comes back after a minute, and may last two.
const undoneAgainWithin = minutes(5);

const isStillUndone = (before: FailedWrite | undefined, now: Instant): boolean =>
  before?.isUndone === true && now < later(before.last, undoneAgainWithin);

/** The nodes whose writes fail or are undone, as this process knows them. */
export class FailedWrites {
  readonly #nodes = new Map<NodeUid, FailedWrite>();

  get areNone(): boolean {
    return this.#nodes.size === 0;
  }

  note(node: Written, upgrade: string, said: "fails" | "is-undone" | "works", now: Instant): void {
    const before = this.#find(node, upgrade);
    const goesOn = before !== undefined && now < later(before.last, longestFailing);
    if (said === "works") {
      if (!isStillUndone(before, now)) this.#nodes.delete(node.uid);
      return;
    }
    const first = goesOn ? before : { upgrade, since: now, othersWork: "no" as const };
    const othersWork = first.othersWork === "no" ? "no" : "still";
    const isUndone = said === "is-undone";
    this.#nodes.set(node.uid, { ...first, last: now, isUndone, othersWork });
  }

  /** Whether the last write of a node failed or was undone. */
  has(node: Written, upgrade: string): boolean {
    return this.#find(node, upgrade) !== undefined;
  }

  /** The time from the first write of a node that failed to the last one, if none in between lasted. */
  failingFor(node: Written, upgrade: string): Duration {
    const failed = this.#find(node, upgrade);
    return failed === undefined ? milliseconds(0) : between(failed.since, failed.last);
  }

  /** Notes whether other nodes can be written, whose right may have come back just now: so this one has to fail once more. */
  compare({ uid }: Written, othersWork: boolean): void {
    const failed = this.#nodes.get(uid);
    if (failed?.othersWork === "still" || failed === undefined) return;
    this.#nodes.set(uid, { ...failed, othersWork: othersWork ? "then" : "no" });
  }

  /** Whether the upgrade ends without a node. */
  isGivenUp(node: Written, upgrade: string): boolean {
    return this.#find(node, upgrade)?.othersWork === "still";
  }

  #find({ uid }: Written, upgrade: string): FailedWrite | undefined {
    const failed = this.#nodes.get(uid);
    return failed?.upgrade === upgrade ? failed : undefined;
  }
}
