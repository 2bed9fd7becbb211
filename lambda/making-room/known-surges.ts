import { productName } from "../base/contract.ts";
import { hours, type Instant, later } from "../base/time.ts";
import { trySurge } from "./record.ts";
import type { Workload } from "./workload.ts";

/** A surge that this process has seen. */
interface KnownSurge {
  readonly raisedTo: number;
  readonly at: Instant;
  readonly record: "kept" | "lost";
}

// Somebody who takes one record away takes the next one too, and each surge whose record is lost leaves its pods.
const memory = hours(1);

/** The surges that this process has seen: a workload alone does not tell that its record was taken away. */
export class KnownSurges {
  readonly #known = new Map<string, KnownSurge>();

  /** Notes to how many pods a workload is surged after a look; `undefined` if it is not surged. */
  note(
    { uid, annotations }: Pick<Workload, "annotations" | "uid">,
    raisedTo: number | undefined,
    now: Instant,
  ): void {
    for (const [one, { at }] of this.#known) if (now >= later(at, memory)) this.#known.delete(one);
    if (raisedTo !== undefined) this.#known.set(uid, { raisedTo, at: now, record: "kept" });
    // This look has put the count back. Without its record, it may still be on its way up.
    else if (trySurge(annotations) !== undefined) this.#known.delete(uid);
  }

  /** Whether somebody has taken the record of a workload away; `now` if this look finds that out. */
  lostRecord(workload: Workload, now: Instant): "before" | "no" | "now" {
    const known = this.#known.get(workload.uid);
    if (known === undefined || now >= later(known.at, memory)) return "no";
    if (known.record === "lost") return "before";
    if (!isLost(workload, known)) return "no";
    this.#known.set(workload.uid, { ...known, at: now, record: "lost" });
    return "now";
  }
}

/** Whether a workload is without a record that no drain has taken away: a drain also puts the count back, and first that of the autoscaler. */
function isLost(
  { annotations, managers, replicas, scalers }: Workload,
  { raisedTo }: Pick<KnownSurge, "raisedTo">,
): boolean {
  if (trySurge(annotations) !== undefined) return false;
  if (replicas === raisedTo || scalers.some((one) => trySurge(one.annotations) !== undefined))
    return true;
  return scalers.length === 0 && managers.length > 0 && !managers.includes(productName);
}
