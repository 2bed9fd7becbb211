import { type Happening, type HappeningOf, tryWhyLeft } from "../../journal/happening.ts";
import type { ProgressLine } from "../../journal/line.ts";
import { refusalWords } from "../../journal/progress-line.ts";
import { counted } from "../../lambda/base/counted.ts";
import { between, earliest, type Instant, spoken, tryInstantOf } from "../../lambda/base/time.ts";
import type { Note } from "../../lambda/notice/outcome.ts";

/** The time limit, what ends then, such as `the replay ends`, and what is awaited first. */
export interface TimeLimits {
  readonly awaited: string;
  readonly until: Instant;
  readonly limit: string;
}

/** A pod that is still on its node, and the reason. */
interface Holder {
  readonly node: string;
  readonly verb: "ending" | "held" | "waiting";
  readonly why: string;
  /** Since when, if the duration is shown; `unsaid` if the words contain it. */
  readonly since: Instant | "unsaid";
}

// More lines would make a short terminal scroll.
const mostPods = 10;

/** The remaining pods and what each waits for, as far as the entries tell. */
export class PodBoard {
  readonly #limits: TimeLimits;
  readonly #holders = new Map<string, Holder>();
  readonly #seen = new Set<string>();
  readonly #asked = new Map<string, Instant>();
  #deadline: Instant | "open" = "open";
  #reason: string;

  constructor(limits: TimeLimits) {
    this.#limits = limits;
    this.#reason = limits.awaited;
  }

  /** A line for each remaining pod, and a last one with totals and the time left. */
  lines(now: Instant): readonly ProgressLine[] {
    const holders = [...this.#holders];
    const more = holders.length - mostPods;
    return [
      ...holders.slice(0, mostPods).map(([pod, holder]) => lineOf(pod, holder, now)),
      ...(more > 0 ? [{ tone: "faint", verb: "", detail: `and ${more} more pods` } as const] : []),
      { tone: "faint", verb: "waiting", detail: `${this.#totals()}; ${this.#timeLeft(now)}` },
    ];
  }

  /** The time since a pod was asked to leave; empty if unknown. */
  sinceAsked(pod: string, now: Instant): string {
    const asked = this.#asked.get(pod);
    return asked === undefined ? "" : spoken(between(asked, now));
  }

  hear(happening: Happening): void {
    const { at } = happening;
    switch (happening.kind) {
      case "node-marked":
      case "mark-tightened":
        this.#deadline = tryInstantOf(happening.deadline) ?? this.#deadline;
        return;
      case "pods-seen":
        this.#hearSeen(happening);
        return;
      case "pod-evicted":
      case "pod-deleted":
        this.#asked.set(happening.pod, at);
        this.#set(happening.pod, { verb: "ending", why: "evicted", since: at });
        return;
      case "pod-refused":
        this.#set(happening.pod, { verb: "held", why: refusalWords(happening), since: "unsaid" });
        return;
      case "pods-held":
        for (const pod of happening.pods)
          this.#set(pod, { verb: "held", why: heldBy(happening), since: at });
        return;
      case "pods-freed":
        for (const pod of happening.pods) this.#set(pod, toBeEvicted);
        return;
      case "pod-gone":
        this.#holders.delete(happening.pod);
        return;
      case "pass-ended":
        this.#hearReasons(happening.left);
        return;
      case "node-awaited":
        this.#reason = happening.reason;
        return;
      case "notice-done":
        this.#holders.clear();
        this.#reason = "for the pods' replacements";
        return;
      default:
        return;
    }
  }

  /** A pod that a later pass does not find has left in between. */
  #hearSeen({ node, holding }: HappeningOf<"pods-seen">): void {
    for (const [pod, holder] of this.#holders)
      if (holder.node === node && !holding.includes(pod)) this.#holders.delete(pod);
    for (const pod of holding) {
      this.#seen.add(pod);
      if (!this.#holders.has(pod)) this.#holders.set(pod, { node, ...toBeEvicted });
    }
  }

  /** Takes the reasons of the last pass for pods that have no other. */
  #hearReasons(left: readonly Note[]): void {
    for (const [pod, holder] of this.#holders) {
      const why = holder.verb === "waiting" ? tryWhyLeft(pod, left) : undefined;
      if (why !== undefined) this.#set(pod, { ...holder, why });
    }
  }

  #set(pod: string, holder: Omit<Holder, "node">): void {
    const node = this.#holders.get(pod)?.node ?? "";
    this.#holders.set(pod, { ...holder, node });
  }

  #totals(): string {
    const gone = this.#seen.size - this.#holders.size;
    return this.#holders.size === 0
      ? this.#reason
      : `${gone} of ${counted(this.#seen.size, "pod")} gone`;
  }

  #timeLeft(now: Instant): string {
    const { until, limit } = this.#limits;
    const end = this.#deadline === "open" ? until : earliest(until, this.#deadline);
    return `${end === until ? limit : "the drain ends"} in ${spoken(between(now, end))} at the latest`;
  }
}

const toBeEvicted = { verb: "waiting", why: "to be evicted", since: "unsaid" } as const;

const tones = { ending: "change", held: "careful", waiting: "faint" } as const;

function lineOf(pod: string, { verb, why, since }: Holder, now: Instant): ProgressLine {
  const long = since === "unsaid" ? "" : `, ${spoken(between(since, now))}`;
  return { tone: tones[verb], verb, detail: `${pod}: ${why}${long}` };
}

const heldBy = ({ budget, healthy, desired }: HappeningOf<"pods-held">): string =>
  `by budget ${budget}, ${healthy} healthy of ${desired} desired`;
