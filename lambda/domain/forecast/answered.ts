import { isUnreachable } from "../drain/pod-class.ts";
import type { PodRequest, Snapshot } from "../drain/snapshot.ts";
import { budgetsHolding } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import { between, type Instant, later, longest, never, seconds } from "../time.ts";
import { keeping } from "./hold.ts";
import { counts, ends, type Happening, type Imagined, leaves } from "./imagined.ts";

/** The API server's answer to a request: it evicts no pod that several budgets select. */
export function answered(
  state: Imagined,
  { verb, pod, grace, budgetVersion }: PodRequest,
): Imagined {
  const { snapshot } = state;
  const { now, ledger, budgets } = snapshot;
  const refused = verb === "evict" && budgetsHolding(pod, budgets).length > 1;
  const answer = refused
    ? ({ kind: "overlapping-budgets", message: "" } as const)
    : ({ kind: "accepted" } as const);
  // Nothing would change by asking again.
  const attempt = { verb, asked: now, answer, refusals: 0, notBefore: never, budgetVersion };
  const noted = {
    ...snapshot,
    ledger: { ...ledger, attempts: new Map(ledger.attempts).set(pod.uid, attempt) },
  };
  if (refused) return { ...state, snapshot: noted };
  const given = grace === "own" ? pod.grace : grace;
  const until = later(now, given);
  const world = ends(pod, until)(counts(pod, -1)({ ...state, snapshot: noted }));
  return {
    ...state,
    ...world,
    asked: new Map(state.asked).set(pod.uid, { at: now, verb, grace: given }),
    coming: [...state.coming, ...departure(pod, until, state)],
  };
}

/** A pod that ends, and its replacement that becomes ready. */
export function departure(
  pod: Pod,
  until: Instant,
  { snapshot, setting }: Imagined,
): readonly Happening[] {
  const { pace, residents, placements } = setting;
  const own = longest(seconds(0), between(snapshot.now, until));
  const gone = endsFor(pod, snapshot) ? later(snapshot.now, pace.ending(own)) : never;
  const after = residents.get(pod.uid)?.readyAfter ?? "unknown";
  const comes = isReplaced(pod) && placements.get(pod.uid)?.kind === "place";
  const from = isNamed(pod) ? gone : snapshot.now;
  const ready = later(from, after === "unknown" ? pace.ready : after);
  return [{ at: gone, to: leaves(pod) }, ...(comes ? [{ at: ready, to: counts(pod, 1) }] : [])];
}

const endsFor = (pod: Pod, { node }: Snapshot): boolean =>
  keeping(pod.finalizers).length === 0 && !isUnreachable(node);

const isReplaced = ({ controller }: Pod): boolean => controller.kind === "owner";

/** Whether its replacement has its name, and so comes only when it is gone. */
const isNamed = ({ controller }: Pod): boolean =>
  controller.kind === "owner" && controller.type === "StatefulSet";
