import { type Instant, seconds } from "../../lambda/base/time.ts";
import type { Fault } from "./fault-plan.ts";
import { graceOf, isProtected, mayBePutBack, staysAnyway } from "./pod-facts.ts";
import type { KnownPod } from "./pod-history.ts";
import type { PodRequest } from "./pod-request.ts";
import {
  crossing,
  isPast,
  mayBeSilent,
  outlasts,
  thresholdOf,
  type WitnessedDrain,
} from "./witnessed-drain.ts";

/** A request to evict or delete a pod, and what the world knows of the pod at that moment. */
export interface Case {
  readonly request: PodRequest;
  /** What is about to go wrong with it. */
  readonly fault: Fault;
  readonly known: KnownPod;
  readonly drain: WitnessedDrain;
  /** Whether the function has seen every change up to now. */
  readonly sight: "clear" | "troubled";
  /** Whether anything has gone wrong so far. */
  readonly course: "smooth" | "troubled";
  /** Since when the pass has known that the pod's namespace refuses evictions because it is terminating. */
  readonly closing: Instant | undefined;
  /** `told` while the API server has asked the process of the pass to wait. */
  readonly pause: "none" | "told";
}

/**
 * Says what is wrong with a request, in words that follow a pod's name; `undefined` if nothing is.
 */
export type Rule = (judged: Case) => string | undefined;

const complaint = (what: string, isBroken: (judged: Case) => boolean): Rule => {
  return (judged) => (isBroken(judged) ? what : undefined);
};

const inTime = ({ request, known: { pod }, drain }: Case): boolean =>
  !(isPast(graceOf(pod), drain, request.at) || outlasts(pod, drain));

/** Whether the pod's terminating namespace has refused evictions for half a minute. */
const isCutOff = ({ closing, request }: Case): boolean =>
  closing !== undefined && request.at - closing >= seconds(30);

const wasTold = ({ known, request }: Case): boolean =>
  known.told !== undefined && request.at - known.told > crossing;

const ownGrace = ({ known }: Case): number => graceOf(known.pod) / 1000;

/** The part of the pod's grace that fits before the deadline, in whole seconds. */
const leftOf = (judged: Case): number => {
  const left = Math.floor((judged.drain.deadline - judged.request.at) / 1000);
  return Math.max(1, Math.min(ownGrace(judged), left));
};

// A pass may have to begin first; passes follow each other faster towards the deadline.
const punctual = (grace: number): number => 1000 + grace * 0.12;

/** Whether the pod was on the node when force was due, and the drain acted only long after. */
const isLate = ({ request, known, drain, course }: Case): boolean => {
  const grace = graceOf(known.pod);
  const threshold = thresholdOf(grace, drain);
  const waited = known.told === undefined && (known.bound ?? request.at) < threshold;
  const late = request.at > Math.max(threshold, sparedUntil(known, drain)) + punctual(grace);
  return drain.force === "at-deadline" && course === "smooth" && waited && late;
};

/**
 * Until when the drain spares a pod that its controller may put back. Once a node has been
 * uncordoned and marked again, the drain no longer spares the pods put back before that mark.
 */
const sparedUntil = ({ pod }: KnownPod, drain: WitnessedDrain): number =>
  mayBePutBack(pod) ? drain.mark.since : 0;

/** The rules for every request to evict or delete a pod. */
export const podRequestRules: readonly Rule[] = [
  complaint(
    "asked to go from a node that was released",
    ({ drain, request }) => drain.ended !== undefined && request.at > drain.ended,
  ),
  complaint(
    "asked to go, though it is none of the drain's business",
    ({ known, request }) =>
      staysAnyway(known.pod) || (known.ended !== undefined && request.at - known.ended > crossing),
  ),
  complaint(
    "asked to go before its own threshold, though it is protected",
    (judged) => isProtected(judged.known.pod, judged.request.at) && inTime(judged),
  ),
  complaint(
    "deleted in the first half of its drain, or while its grace still fitted before the deadline",
    (judged) => judged.request.verb === "delete" && inTime(judged) && !isCutOff(judged),
  ),
  complaint(
    "deleted, though force is switched off",
    ({ request, drain }) => request.verb === "delete" && drain.force === "never",
  ),
  complaint("given no grace, or a longer one than its own", (judged) => {
    const { grace, verb } = judged.request;
    if (grace === undefined) return verb === "delete";
    return grace < 1 || grace > ownGrace(judged);
  }),
  complaint("given less grace than was left", (judged) => {
    const { grace } = judged.request;
    return grace !== undefined && grace < leftOf(judged) && !mayBeSilent(judged.drain);
  }),
  // A pass that begins after the deadline still makes its requests: the deadline bounds waiting, never the first try.
  complaint("given a grace that ends after the deadline", (judged) => {
    const { at, grace = ownGrace(judged) } = judged.request;
    const { deadline, force } = judged.drain;
    return force === "at-deadline" && at < deadline && grace > leftOf(judged);
  }),
  complaint("forced much later than its grace needed", isLate),
  complaint(
    "asked to go in time, though the API server wanted a pause",
    (judged) => judged.pause === "told" && inTime(judged),
  ),
  complaint(
    "asked again after it had been told to go, and not to shorten its grace",
    (judged) =>
      judged.sight === "clear" &&
      wasTold(judged) &&
      (judged.request.verb === "evict" || !outlasts(judged.known.pod, judged.drain)),
  ),
];
