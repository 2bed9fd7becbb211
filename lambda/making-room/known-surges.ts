import { productName } from "../base/contract.ts";
import type { PodUid } from "../base/ids.ts";
import { hours, type Instant, later, minutes } from "../base/time.ts";
import { type RoomRecord, tryRecord, trySurge } from "./record.ts";
import { recount } from "./recount.ts";
import { mostMore, type Workload } from "./workload.ts";

/** A surge that this process has seen. */
interface KnownSurge {
  readonly raisedTo: number;
  readonly at: Instant;
  /** When it began, ended or was found to have lost its record, as far as this process knows. */
  readonly changed: Instant;
  readonly record: "ended" | "kept" | "lost";
  /** Pods that it was to move; none if another process has begun it. */
  readonly pods: readonly PodUid[];
  /** How many surges before it were to move them, and moved none. */
  readonly vain: number;
}

/** When a look at a workload began, and when that was read. */
interface LookTimes {
  readonly began: Instant;
  readonly now: Instant;
}

// Somebody who takes one record away takes the next one too, and each surge whose record is lost leaves its pods.
const memory = hours(1);

// A drain of another process may have ended a surge that has moved other pods.
const mostVain = 2;
const clocksDiffer = minutes(1);
// As long as the note of a surge in vain, which others may take away too.
const restInVain = minutes(10);

/** The surges that this process has seen: a workload alone does not tell that its record was taken away. */
export class KnownSurges {
  readonly #known = new Map<string, KnownSurge>();
  readonly #reported = new Map<string, { readonly why: string; readonly at: Instant }>();

  /** Notes that a workload is surged for displaced pods now. Its record may be gone before the next look. */
  began(uid: string, surge: Pick<KnownSurge, "pods" | "raisedTo">, now: Instant): void {
    const { pods = [], vain = 0 } = this.#known.get(uid) ?? {};
    const isVain = pods.length > 0 && pods.every((pod) => surge.pods.includes(pod));
    this.#note(uid, {
      ...surge,
      at: now,
      changed: now,
      record: "kept",
      pods: surge.pods.slice(0, mostMore),
      vain: isVain ? vain + 1 : 0,
    });
  }

  /** Notes that this process has taken the record away itself. */
  ended(uid: string, now: Instant): void {
    const known = this.#known.get(uid);
    if (known?.record === "kept")
      this.#note(uid, { ...known, at: now, changed: now, record: "ended" });
  }

  /** Whether a drain of this process has begun a surge that is still under way, as far as it knows, or has waited for it. */
  watches(uid: string, now: Instant): boolean {
    return this.#recall(uid, now)?.record === "kept";
  }

  /** Whether a workload gets no surge now: one has just begun, or those before have moved no pod, whatever its record says. */
  rests(uid: string, now: Instant): boolean {
    const known = this.#recall(uid, now);
    if (known?.record !== "ended") return known !== undefined;
    return known.vain >= mostVain && now < later(known.at, restInVain);
  }

  /**
   * Whether somebody has taken the record of a workload away; `now` if this look finds that out. A look that began no later than the
   * last change tells nothing, for it may have read the workload as it was before.
   */
  lostRecord(workload: Workload, { began, now }: LookTimes): "before" | "no" | "now" {
    const { uid, annotations } = workload;
    const known = this.#recall(uid, now);
    if (known?.record === "lost") return "before";
    if (known !== undefined && began <= known.changed) return "no";
    const raisedTo = trySurge(annotations)?.is;
    if (raisedTo !== undefined) return this.#saw(uid, { raisedTo }, now);
    return known?.record === "kept" ? this.#missed(workload, known, now) : "no";
  }

  #saw(uid: string, surge: Pick<KnownSurge, "raisedTo">, now: Instant): "no" {
    const known = this.#recall(uid, now) ?? { pods: [], vain: 0, record: "none" };
    const changed = known.record === "kept" ? known.changed : now;
    this.#note(uid, { ...known, ...surge, at: now, changed, record: "kept" });
    return "no";
  }

  #missed(workload: Workload, known: KnownSurge, now: Instant): "before" | "no" | "now" {
    const note = newNote(workload, known);
    const isKnownLost = note?.phase === "lost";
    // Who ends a surge takes its label with the record.
    const hasLost = note === undefined && (workload.isLabelled || isLost(workload, known));
    const record = isKnownLost || hasLost ? "lost" : "ended";
    // A loss that is found late is no news of the moment.
    const at = record === "lost" ? known.at : now;
    this.#note(workload.uid, { ...known, at, changed: now, record });
    if (record !== "lost") return "no";
    return isKnownLost ? "before" : "now";
  }

  /**
   * Whether a look is to find out what has become of a surge that this process has just seen, or has just found that its record is lost. Others
   * may have taken all traces of it from the workload, and its count back.
   */
  misses({ uid, annotations }: Pick<Workload, "annotations" | "uid">, now: Instant): boolean {
    const known = this.#recall(uid, now);
    if (known === undefined || now >= later(known.at, recount)) return false;
    return (
      known.record === "lost" || (known.record === "kept" && trySurge(annotations) === undefined)
    );
  }

  /** Whether a refusal differs from the last one that was reported within an hour, and notes it: each pass would report it again, for days. */
  isNews(about: string, why: string, now: Instant): boolean {
    for (const [one, { at }] of this.#reported)
      if (now >= later(at, memory)) this.#reported.delete(one);
    if (this.#reported.get(about)?.why === why) return false;
    this.#reported.set(about, { why, at: now });
    return true;
  }

  #recall(uid: string, now: Instant): KnownSurge | undefined {
    const known = this.#known.get(uid);
    return known !== undefined && now < later(known.at, memory) ? known : undefined;
  }

  #note(uid: string, surge: KnownSurge): void {
    for (const [one, { at }] of this.#known)
      if (surge.at >= later(at, memory)) this.#known.delete(one);
    this.#known.set(uid, surge);
  }
}

/** The note of a drain of another process, which has ended a surge, or has found that its record is lost. An older one may have been brought back. */
function newNote({ annotations }: Workload, { changed }: KnownSurge): RoomRecord | undefined {
  const record = tryRecord(annotations);
  return record !== undefined && later(record.since, clocksDiffer) >= changed ? record : undefined;
}

/** Whether a workload is without a record that no drain has taken away: a drain also puts the count back, and first that of the autoscaler. */
function isLost(
  { managers, replicas, scalers }: Workload,
  { raisedTo, vain }: KnownSurge,
): boolean {
  if (vain >= mostVain) return true;
  if (replicas === raisedTo) return true;
  if (scalers.some((one) => trySurge(one.annotations) !== undefined)) return true;
  return scalers.length === 0 && managers.length > 0 && !managers.includes(productName);
}
