import type { PodUid } from "../base/ids.ts";
import { between, type Instant, later, longest, never, seconds } from "../base/time.ts";
import { budgetsHolding } from "../drain/budget.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { PodAttempt } from "../drain/ledger.ts";
import type { Pod } from "../drain/pod.ts";
import { isUnreachable } from "../drain/pod-class.ts";
import type { PodRequest, Snapshot } from "../drain/snapshot.ts";
import { keeping } from "./hold.ts";
import { counts, ends, leaves, type SimulatedEvent, type Simulation } from "./simulation.ts";

/** The API server's answers to the requests of a step, one after the other. */
export function answered(before: Simulation, requests: readonly PodRequest[]): Simulation {
  const asked = new Map(before.asked);
  const attempts = new Map(before.snapshot.ledger.attempts);
  const endings = new Map<PodUid, Instant>();
  const coming = [...before.coming];
  let state = before;
  for (const request of requests) {
    const { verb, pod, grace } = request;
    const { now } = state.snapshot;
    const answer = answerTo(request, state);
    attempts.set(pod.uid, attemptOf(request, answer, state.snapshot));
    if (answer.kind === "namespace-terminating") state = closed(pod.namespace, state);
    if (answer.kind !== "accepted") continue;
    const given = grace === "own" ? pod.grace : grace;
    const until = later(now, given);
    asked.set(pod.uid, { at: now, verb, grace: given });
    endings.set(pod.uid, until);
    coming.push(...departure(pod, until, state));
    state = { ...state, ...counts(pod, -1)(state) };
  }
  const { snapshot } = state;
  const noted = { ...snapshot, ledger: { ...snapshot.ledger, attempts } };
  return { ...state, ...ends(endings)({ ...state, snapshot: noted }), asked, coming };
}

/** The API server deletes every pod, and evicts none that several budgets select. */
function answerTo({ verb, pod }: PodRequest, { snapshot, setting }: Simulation): Eviction {
  if (verb === "delete") return { kind: "accepted" };
  if (budgetsHolding(pod, snapshot.budgets).length > 1)
    return { kind: "overlapping-budgets", message: "" };
  return setting.refusals.get(pod.uid) ?? { kind: "accepted" };
}

// After this time force no longer waits for a namespace that is being deleted.
const refusalsFor = seconds(30);

function attemptOf(
  { verb, budgetVersion }: PodRequest,
  answer: Eviction,
  { now, settings }: Snapshot,
): PodAttempt {
  const closes = answer.kind === "namespace-terminating";
  // Nothing else changes by asking again.
  const notBefore = closes && settings.force !== "never" ? later(now, refusalsFor) : never;
  return { verb, asked: now, answer, refusals: 0, notBefore, budgetVersion };
}

function closed(namespace: string, state: Simulation): Simulation {
  const { snapshot } = state;
  const { ledger, now } = snapshot;
  const terminatingNamespaces = new Map([[namespace, now], ...ledger.terminatingNamespaces]);
  return { ...state, snapshot: { ...snapshot, ledger: { ...ledger, terminatingNamespaces } } };
}

/** A pod that ends, and its replacement that becomes ready. */
export function departure(
  pod: Pod,
  until: Instant,
  { snapshot, setting }: Simulation,
): readonly SimulatedEvent[] {
  const { pace, forecastPods, placements } = setting;
  const own = longest(seconds(0), between(snapshot.now, until));
  const gone = endsFor(pod, snapshot) ? later(snapshot.now, pace.ending(own)) : never;
  const after = forecastPods.get(pod.uid)?.readyAfter ?? "unknown";
  const comes = isReplaced(pod) && placements.get(pod.uid)?.kind === "place";
  const from = isNamed(pod) ? gone : snapshot.now;
  const ready = later(from, after === "unknown" ? pace.ready : after);
  return [{ at: gone, to: leaves(pod) }, ...(comes ? [{ at: ready, to: counts(pod, 1) }] : [])];
}

/** Whether an ended pod leaves the API by itself. */
export const endsFor = (pod: Pod, { node }: Snapshot): boolean =>
  keeping(pod.finalizers).length === 0 && !isUnreachable(node);

const isReplaced = ({ controller }: Pod): boolean => controller.kind === "owner";

/** Whether its replacement has its name, and so comes only when it is gone. */
const isNamed = ({ controller }: Pod): boolean =>
  controller.kind === "owner" && controller.type === "StatefulSet";
