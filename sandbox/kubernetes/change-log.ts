import type { Duration, Instant } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { KubeObject } from "./kube-object.ts";
import type { Resource } from "./resource.ts";

/** One write, as a watch reports it. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly revision: number;
  readonly resource: Resource<T>;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** The recent writes of the store; the log drops those that are older than its reach. */
export class ChangeLog {
  readonly #timeline: Timeline;
  readonly #reach: Duration;
  #changes: { readonly at: Instant; readonly change: Change }[] = [];
  #compacted = 0;

  constructor(timeline: Timeline, reach: Duration) {
    this.#timeline = timeline;
    this.#reach = reach;
  }

  /** The log has dropped every write up to this version. */
  get compacted(): number {
    return this.#compacted;
  }

  add(change: Change): void {
    const now = this.#timeline.now();
    this.#changes.push({ at: now, change });
    const isOld = (entry: { readonly at: Instant } | undefined) =>
      entry !== undefined && now - entry.at > this.#reach;
    if (!isOld(this.#changes[0])) return;
    this.compact(this.#changes.findLast(isOld)?.change.revision ?? 0);
  }

  /** The writes after a version, oldest first. */
  after(revision: number): readonly Change[] {
    const changes = this.#changes.map(({ change }) => change);
    return changes.filter((change) => change.revision > revision);
  }

  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
    this.#changes = this.#changes.filter(({ change }) => change.revision > this.#compacted);
  }
}
