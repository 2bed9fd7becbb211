import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  latest,
  milliseconds,
  seconds,
} from "../base/time.ts";
import { nextStep } from "../drain/next-step.ts";
import { nextForce } from "../drain/overdue.ts";
import { holdsNode, staysWithNode } from "../drain/pod-class.ts";
import type { DueRequests, Step } from "../drain/snapshot.ts";
import { heldByTargets } from "../drain/target-wait.ts";
import { waitBeforePass } from "../notice/next-pass.ts";
import { answered } from "./answered.ts";
import type { ForecastPod } from "./forecast-pod.ts";
import { type Hold, tryHold } from "./hold.ts";
import { detaches, type Imagined, type ImaginedWorld, type Spent } from "./imagined.ts";

/** Goes on with an imagined drain until the engine is done with it. */
export function imagine(start: Imagined): Imagined {
  let state = start;
  for (;;) {
    const step = stepOf(state);
    if (step.kind === "finish") return state;
    state = step.kind === "ask" ? asked(step, state) : looked(step.kind, state);
  }
}

function stepOf({ snapshot, targets, setting: { heldUntil } }: Imagined): Step {
  const { now, marked, deadline, settings } = snapshot;
  const known =
    targets.length === 0 ? ({ kind: "none" } as const) : ({ kind: "read", targets } as const);
  const clock = { now, marked, deadline, heldUntil, timeout: settings.targetTimeout };
  return heldByTargets(nextStep(snapshot), known, clock);
}

function asked({ requests, recheck }: DueRequests, state: Imagined): Imagined {
  return requests.length > 0 ? requests.reduce(answered, state) : waited(recheck, state);
}

function looked(at: "list" | "read volumes", state: Imagined): Imagined {
  if (at === "read volumes") return volumesRead(state);
  const { snapshot } = state;
  return { ...state, snapshot: { ...snapshot, listed: snapshot.now } };
}

/** The volumes of the pods that have left, and when each of them is detached. */
function volumesRead(state: Imagined): Imagined {
  const { snapshot, setting } = state;
  const { now, settings } = snapshot;
  const stay = snapshot.pods.filter(
    (pod) => staysWithNode(pod, snapshot) || holdsNode(pod, snapshot),
  );
  const kept = new Set(stay.flatMap(({ uid }) => setting.forecastPods.get(uid)?.attached ?? []));
  const all = [...setting.forecastPods.values()].flatMap(({ attached }) => attached);
  const attached = [...new Set(all)].filter((volume) => !kept.has(volume));
  const at = later(now, setting.pace.detach);
  return {
    ...state,
    snapshot: {
      ...snapshot,
      volumes: { kind: "read", attached, until: later(now, settings.volumeTimeout) },
    },
    coming: [...state.coming, ...attached.map((volume) => ({ at, to: detaches(volume) }))],
  };
}

/** Time goes on until something happens, or the drain looks again. */
function waited(recheck: Instant, state: Imagined): Imagined {
  const { snapshot, setting, coming, passEnds } = state;
  const { now } = snapshot;
  const due = latest(now, earliest(recheck, ...coming.map(({ at }) => at)));
  const rest = due > passEnds ? restAt(due, state) : seconds(0);
  const at = later(due, rest);
  const world = coming
    .filter((happening) => happening.at <= at)
    .toSorted((a, b) => a.at - b.at)
    .reduce((before: ImaginedWorld, { to }) => to(before), state);
  return {
    ...state,
    ...world,
    snapshot: { ...world.snapshot, now: at },
    passEnds: due > passEnds ? later(at, setting.pass) : passEnds,
    coming: coming.filter((happening) => happening.at > at),
    spent: [
      ...state.spent,
      { ...reasonToWait(state), time: between(now, due) },
      ...(rest > 0 ? [{ on: "rests between passes", budget: "", time: rest }] : []),
    ],
    holds: heldUpToNow(state),
  };
}

/** How long the drain rests between two passes. It is back when a pod has to be forced. */
function restAt(due: Instant, { snapshot, setting: { pace, longestRest } }: Imagined): Duration {
  if (pace.rests === "none") return seconds(0);
  const { begun, deadline, pods } = snapshot;
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  const handback = { now: due, begun, deadline, longestRest, nextForce: nextForce(held, snapshot) };
  const rest = waitBeforePass({ ...handback, progressed: false, receives: 1 });
  return milliseconds(Math.ceil(rest));
}

/** The pods that hold the node now, as they are now. */
const holding = ({ snapshot, setting }: Imagined): readonly ForecastPod[] =>
  snapshot.pods
    .filter((pod) => holdsNode(pod, snapshot))
    .flatMap((pod) => {
      const forecastPod = setting.forecastPods.get(pod.uid);
      return forecastPod === undefined ? [] : [{ ...forecastPod, pod }];
    });

function heldUpToNow(state: Imagined): Imagined["holds"] {
  const found = new Map(state.holds);
  for (const forecastPod of holding(state)) {
    const { uid } = forecastPod.pod;
    const before = found.get(uid) ?? [];
    const hold = tryHold(forecastPod, state.snapshot);
    if (hold !== undefined && hold.kind !== before.at(-1)?.kind) found.set(uid, [...before, hold]);
  }
  return found;
}

// Of several reasons, the first is the one to remove.
const order: readonly Hold["kind"][] = [
  "unmeetable-budget",
  "overlapping-budgets",
  "refused",
  "protection",
  "only-cordoned",
  "finalizers",
  "budget",
  "own-end",
  "ending",
];

const words: Readonly<Partial<Record<Hold["kind"], string>>> = {
  refused: "pods whose eviction is refused",
  protection: "protected pods",
  "only-cordoned": "pods that leave by themselves",
  finalizers: "finalizers",
  "own-end": "pods that end by themselves",
  ending: "pods that end",
};

/** What the drain waits for at this moment. Among several reasons it is the one that has to be removed first. */
function reasonToWait(state: Imagined): Omit<Spent, "time"> {
  const { snapshot, targets } = state;
  const held = holding(state);
  if (held.length === 0) return { on: reasonWhenEmpty(state), budget: "" };
  if (targets.some(({ state: now }) => now === "serving"))
    return { on: "load balancers", budget: "" };
  const holds = held.flatMap((forecastPod) => tryHold(forecastPod, snapshot) ?? []);
  const first = order.flatMap((kind) => holds.find((hold) => hold.kind === kind) ?? []).at(0);
  if (first === undefined) return { on: "the mark", budget: "" };
  if (!("budgets" in first)) return { on: words[first.kind] ?? "", budget: "" };
  const budget = first.budgets.join(" and ");
  return { on: `budget ${budget}`, budget };
}

function reasonWhenEmpty({ snapshot: { volumes, now, marked, settings } }: Imagined): string {
  if (volumes.kind === "read" && volumes.attached.length > 0) return "volumes";
  return now < later(marked, settings.settle) ? "the mark to settle" : "load balancers";
}
