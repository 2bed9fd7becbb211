import { between, type Instant, later, longest, never, seconds } from "../base/time.ts";
import { budgetsHolding } from "../drain/budget.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { Pod } from "../drain/pod.ts";
import { isUnreachable } from "../drain/pod-class.ts";
import type { PodRequest, Snapshot } from "../drain/snapshot.ts";
import { keeping } from "./hold.ts";
import { counts, ends, leaves, type SimulatedEvent, type Simulation } from "./simulation.ts";

/** The API server's answer to a request. */
export function answered(state: Simulation, request: PodRequest): Simulation {
  const { verb, pod, grace } = request;
  const { now } = state.snapshot;
  const answer = answerTo(request, state);
  const noted = notedIn(state.snapshot, request, answer);
  if (answer.kind !== "accepted") return { ...state, snapshot: noted };
  const given = grace === "own" ? pod.grace : grace;
  const until = later(now, given);
  return {
    ...state,
    ...ends(pod, until)(counts(pod, -1)({ ...state, snapshot: noted })),
    asked: new Map(state.asked).set(pod.uid, { at: now, verb, grace: given }),
    coming: [...state.coming, ...departure(pod, until, state)],
  };
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

function notedIn(
  snapshot: Snapshot,
  { verb, pod, budgetVersion }: PodRequest,
  answer: Eviction,
): Snapshot {
  const { ledger, now, settings } = snapshot;
  const closes = answer.kind === "namespace-terminating";
  // Nothing else changes by asking again.
  const notBefore = closes && settings.force !== "never" ? later(now, refusalsFor) : never;
  const attempt = { verb, asked: now, answer, refusals: 0, notBefore, budgetVersion };
  const attempts = new Map(ledger.attempts).set(pod.uid, attempt);
  const terminatingNamespaces = closes
    ? new Map([[pod.namespace, now], ...ledger.terminatingNamespaces])
    : ledger.terminatingNamespaces;
  return { ...snapshot, ledger: { ...ledger, attempts, terminatingNamespaces } };
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
