import { counted, someOf } from "../base/counted.ts";
import { between, type Instant, latest, never, spoken, timestamp } from "../base/time.ts";
import type { Note } from "../notice/outcome.ts";
import { type Budget, budgetsHolding, budgetTitle, grantsOf, ruleWords } from "./budget.ts";
import { budgetAllowance } from "./budget-allowance.ts";
import { waitsItsTurn } from "./held-by-budget.ts";
import { byBudgets, type PodAttempt } from "./ledger.ts";
import { type ForceTimes, forcedFrom, outgrows } from "./overdue.ts";
import { isBare, isOfJob, type Pod, type PodNote, podTitle } from "./pod.ts";
import { isStuck } from "./pod-class.ts";
import { tryProtectionOf } from "./protection.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  criticalFrom,
  isNewcomer,
  newcomerWaitsUntil,
  waitsAsNewcomer,
  waitsForTier,
} from "./tiers.ts";

const mostReasons = 100;
const longestReason = 400;

/** Why pods are still on the node. After the first 100 it only gives the number of the others. */
export const holdReasons = (pods: readonly Pod[], snapshot: Snapshot): readonly Note[] =>
  reasonsIn(holdNotes(pods, snapshot), pods.length);

/** The reasons of the first pods, and the number of the others. */
export function reasonsIn(notes: readonly PodNote[], count: number): readonly Note[] {
  const more = count - notes.length;
  return [
    ...notes.map(({ pod: about, why }) => ({ about, why })),
    ...(more > 0 ? [{ about: "", why: `and ${more} more pods` }] : []),
  ];
}

/** The first 100 of these pods, and why each is still on the node: one of each namespace, then the second ones, and so on. */
export const holdNotes = (pods: readonly Pod[], snapshot: Snapshot): readonly PodNote[] =>
  inTurns(pods)
    .slice(0, mostReasons)
    .map((pod) => ({
      pod: podTitle(pod),
      uid: pod.uid,
      why: shortened(holdReason(pod, snapshot)),
    }));

/** The first pod of each namespace, then the second ones: a line of the log has room for few, and one namespace hides no other one's. */
export function inTurns<P extends Pick<Pod, "namespace">>(pods: readonly P[]): readonly P[] {
  const counts = new Map<string, number>();
  const turns = pods.map((pod) => {
    const turn = counts.get(pod.namespace) ?? 0;
    counts.set(pod.namespace, turn + 1);
    return { pod, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ pod }) => pod);
}

/** Lines about one pod each that a log can take: the first 100, shortened, and how many more there are. */
export function limited(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostReasons;
  const shown = lines.slice(0, mostReasons).map(shortened);
  return more > 0 ? [...shown, `and ${more} more pods`] : shown;
}

const shortened = (text: string): string =>
  text.length > longestReason ? `${text.slice(0, longestReason - 1)}…` : text;

/** Says in one line why a pod is still on the node, and what a person can do about it. */
export function holdReason(pod: Pod, snapshot: Snapshot): string {
  if (pod.termination.kind === "terminating") return ending(pod, pod.termination.until, snapshot);
  const { settings, now } = snapshot;
  const protection = tryProtectionOf(pod, snapshot);
  if (protection !== undefined) return `protected by ${protection}${forceWords(pod, snapshot)}`;
  if (settings.mode === "cordon-only") return "not evicted, for this deployment only cordons";
  if (waitsForTier(pod, snapshot))
    return `critical, so it leaves after the ordinary pods${turnWords(snapshot)}${forceWords(pod, snapshot)}`;
  if (rests(pod, snapshot)) {
    const left = spoken(between(now, newcomerWaitsUntil(pod, snapshot)));
    return snapshot.mark === "missing"
      ? `came because the node could not be marked, so it is evicted in ${left}`
      : `came past the scheduler, as its replacement would, so it is evicted in ${left}`;
  }
  return refusal(pod, snapshot);
}

/** Whether a pod waits because its replacement would come to the node as well, and for no look at the mark. */
const rests = (pod: Pod, snapshot: Snapshot): boolean =>
  waitsAsNewcomer(pod, snapshot) && (snapshot.mark === "missing" || !isNewcomer(pod, snapshot));

/** When critical pods leave though ordinary ones remain; empty if the drain has no deadline. */
const turnWords = (snapshot: Snapshot): string =>
  snapshot.deadline === never
    ? ""
    : `, or in ${spoken(between(snapshot.now, criticalFrom(snapshot)))}`;

function ending(pod: Pod, until: Instant, snapshot: Snapshot): string {
  const { now } = snapshot;
  const finalizers = pod.finalizers.length === 0 ? "" : `, finalizers ${pod.finalizers.join(", ")}`;
  if (isStuck(pod, snapshot))
    return `stuck since ${timestamp(until)}, no longer waited for${finalizers}`;
  if (now > until) return `should have ended ${spoken(between(until, now))} ago${finalizers}`;
  return `ending, its grace lasts ${spoken(between(now, until))} more${finalizers}`;
}

/** Blames the pod's budgets, unless the last answer of the API server gives another reason. */
function refusal(pod: Pod, snapshot: Snapshot): string {
  const answer = snapshot.ledger.attempts.get(pod.uid)?.answer ?? unaskedIn(pod, snapshot);
  const budgets = budgetsHolding(pod, snapshot.budgets);
  const blamed = mayBlame(answer.kind, budgets) ? budgetReason(pod, snapshot) : undefined;
  if (blamed !== undefined) return `${blamed}${forceWords(pod, snapshot)}`;
  if (answer.kind === "unasked")
    return [
      `${unaskedReason(snapshot)}${unreadWords(pod, snapshot)}`,
      ...roomWords(pod, snapshot),
    ].join("; ");
  const reason = answerReason(answer, (refused) => refusedWords(pod, snapshot, refused));
  return byBudgets.includes(answer.kind)
    ? `${reason}${unreadWords(pod, snapshot)}${forceWords(pod, snapshot)}`
    : reason;
}

/** Why the budgets of a pod are not known; empty where they are. */
function unreadWords({ namespace }: Pod, { unread }: Snapshot): string {
  const why = unread.get(namespace);
  return why === undefined ? "" : `; its budgets are not known (${why})`;
}

/** Why a pod was not asked to go though nothing of its own holds it. */
const unaskedReason = ({ now, othersLease }: Snapshot): string =>
  othersLease > now
    ? `not evicted yet, because another process has the eviction lease until ${timestamp(othersLease)}`
    : "not evicted yet";

/** When force takes a pod whose grace is too long for its drain; empty for other pods, and without force. */
function forceWords(pod: Pod, snapshot: Snapshot): string {
  const { mode, force } = snapshot.settings;
  const long = tooLong(pod, snapshot);
  return mode !== "evict" || force === "never" || long === ""
    ? ""
    : `; deleted from ${timestamp(forcedFrom(pod, snapshot))} on${long}`;
}

/** Why force takes a pod long before the deadline; empty where its grace fits into half of the drain. */
export const tooLong = (pod: Pod, times: ForceTimes): string =>
  outgrows(pod, times)
    ? `, for its grace of ${spoken(pod.grace)} is longer than half of the drain (${spoken(between(times.begun, times.deadline))})`
    : "";

const unasked = { kind: "unasked" } as const;
const unlooked = { kind: "unlooked" } as const;
type Unasked = typeof unasked | typeof unlooked;

/** Whether budgets may hold a pod: they refused its eviction, or would refuse it. */
const mayBlame = (kind: string, budgets: readonly Budget[]): boolean =>
  byBudgets.includes(kind) || (kind === "unasked" && !waitsItsTurn({ budgets }));

const unaskedIn = (pod: Pod, snapshot: Snapshot): Unasked =>
  waitsAsNewcomer(pod, snapshot) ? unlooked : unasked;

/** The refusal of what the drain has last asked for, and what held the pod if that was a deletion. */
function refusedWords(pod: Pod, snapshot: Snapshot, { kind, message }: Refusal): string {
  const isDeletion = snapshot.ledger.attempts.get(pod.uid)?.verb === "delete";
  if (kind === "without-effect")
    return isDeletion
      ? `its deletion had no effect: ${message}`
      : `its eviction had no effect: ${message}`;
  if (!isDeletion) return `its eviction was refused (${kind}): ${message}`;
  const past = overruled(pod, snapshot) || "nothing";
  return `its deletion past ${past} was refused (${kind}): ${message}`;
}

interface Refusal {
  readonly kind: string;
  readonly message: string;
}

function answerReason(
  answer: PodAttempt["answer"] | typeof unlooked,
  refused: (one: Refusal) => string,
): string {
  switch (answer.kind) {
    case "unlooked":
      return "came though the node is marked, so it leaves once the mark is seen to stay";
    case "pending":
      return "the API server has not answered its eviction yet";
    case "accepted":
    case "gone":
      return "evicted, not gone yet";
    case "conflict":
    case "blocked":
    case "overlapping-budgets":
    case "throttled":
    case "namespace-terminating":
    case "denied":
    case "invalid":
    case "unclear":
    case "without-effect":
      return refused(answer);
  }
}

type Overruling = Pick<
  Snapshot,
  "accounts" | "budgets" | "ledger" | "now" | "pods" | "settings" | "unread"
>;

/**
 * The protection or the budgets that the deletion of a pod would overrule now; empty if there are
 * none.
 */
export function overruled(pod: Pod, scene: Overruling): string {
  const { budgets, ledger, pods, unread } = scene;
  if (pod.termination.kind === "terminating") return "";
  const protection = tryProtectionOf(pod, scene);
  if (protection !== undefined) return protection;
  const over = budgetsHolding(pod, budgets);
  const isOpen =
    over.length === 1 && over.every((budget) => budgetAllowance(pods, scene).take(budget));
  const hasLetGo = ledger.attempts.get(pod.uid)?.answer.kind === "accepted";
  if (isOpen || hasLetGo) return "";
  if (over.length === 0) return unread.has(pod.namespace) ? "budgets that are not known" : "";
  return someOf(over.map((budget) => `budget ${budgetTitle(budget)} (${ruleWords(budget.rule)})`));
}

/** The problems of a pod's budgets that never allow an eviction. */
export function budgetDoubts(pod: Pod, budgets: readonly Budget[]): readonly string[] {
  const over = budgetsHolding(pod, budgets);
  if (over.length > 1)
    return [
      `${over.length} budgets select it (${someOf(over.map(budgetTitle))}), and the API evicts no such pod: leave one${ownEndWords(pod)}`,
    ];
  return over
    .filter((budget) => isHopeless(budget, pod))
    .map((budget) => `budget ${budgetStand(budget, pod)}`);
}

/** Whether a budget can never let a pod go. A workload that has just been scaled up from nothing is counted in a moment. */
const isHopeless = ({ meetable, uncounted }: Budget, pod: Pod): boolean =>
  meetable !== "sometimes" && (meetable !== "if-counted" || uncounted !== "" || isBare(pod));

function budgetReason(pod: Pod, snapshot: Snapshot): string | undefined {
  const [budget, ...others] = budgetsHolding(pod, snapshot.budgets);
  if (budget === undefined) return undefined;
  if (others.length > 0) return budgetDoubts(pod, snapshot.budgets).join();
  // A pass knows nothing of earlier ones, so it counts from the latest of: the mark, the pod's creation, the budget's running out.
  const since = latest(snapshot.marked, pod.created, budget.spent);
  const held = spoken(between(since, snapshot.now));
  return [
    `held for ${held} by budget ${budgetStand(budget, pod)}`,
    ...granted(budget, snapshot),
    ...roomWords(pod, snapshot),
  ].join("; ");
}

function roomWords({ uid }: Pod, { room }: Snapshot): readonly string[] {
  const note = room.get(uid);
  return note === undefined ? [] : [note.words];
}

const granted = (budget: Budget, { now, pods }: Snapshot): readonly string[] =>
  grantsOf(budget, now)
    .filter(
      ({ pod }) =>
        !pods.some(({ name, termination }) => name === pod && termination.kind === "terminating"),
    )
    .map(
      ({ pod, until }) =>
        `it has granted the eviction of ${pod}, and counts it until ${timestamp(until)} if the pod stays`,
    );

/** The state of the budget of a pod, and what to do about one that can never be met. */
export function budgetStand(budget: Budget, pod: Pod): string {
  const { currentHealthy, desiredHealthy, disruptionsAllowed, rule, observed } = budget;
  const title = budgetTitle(budget);
  if (isHopeless(budget, pod))
    return `${title}, which can never be met (${ruleWords(rule)}): ${mendOf(budget)}${ownEndWords(pod)}`;
  if (!observed) return `${title}, whose status is not up to date yet`;
  const health = `${currentHealthy} healthy of ${desiredHealthy} desired`;
  return `${title} (${ruleWords(rule)}): ${health}, ${counted(disruptionsAllowed, "disruption")} allowed`;
}

const mends = {
  "if-raised": "raise it",
  "if-lowered": "lower it",
  "if-scaled": "lower it, or scale up",
  "if-counted": "it counts no pods without a controller; give it a whole minAvailable",
  sometimes: "",
} as const;

const mendOf = ({ meetable, uncounted }: Budget): string =>
  meetable !== "if-counted" || uncounted === ""
    ? mends[meetable]
    : `${uncounted}; give it a whole minAvailable, or leave out the pods that it cannot count`;

/** No rule lets the pods of a Job go that asks for all of them, but they end by themselves. */
const ownEndWords = (pod: Pod): string => (isOfJob(pod) ? "; a Job's pod ends by itself" : "");
