import { type Instant, later, latest } from "../base/time.ts";
import { nextStep } from "../drain/next-step.ts";
import { holdsNode, staysWithNode } from "../drain/pod-class.ts";
import type { Step } from "../drain/snapshot.ts";
import { heldByTargets } from "../drain/target-wait.ts";
import { answered } from "./answered.ts";
import { detaches, type Simulation } from "./simulation.ts";

/** The state of a simulated drain. */
export type Course =
  | { readonly kind: "done"; readonly state: Simulation }
  /** It waits for a change, and looks again at this time at the latest; or it rests until then, and sees none. */
  | { readonly kind: "waits" | "rests"; readonly state: Simulation; readonly until: Instant };

/** Takes the steps of a drain that are due now. */
export function workedOn(start: Simulation): Course {
  let state = start;
  for (;;) {
    const step = stepOf(state);
    if (step.kind === "finish") return { kind: "done", state };
    if (step.kind !== "ask") {
      state = looked(step.kind, state);
      continue;
    }
    if (step.requests.length === 0) {
      const until = latest(state.snapshot.now, step.recheck);
      return { kind: "waits", state, until };
    }
    state = answered(state, step.requests);
  }
}

function stepOf({ snapshot, targets, setting: { heldUntil } }: Simulation): Step {
  const { now, marked, deadline, settings } = snapshot;
  const known =
    targets.length === 0 ? ({ kind: "none" } as const) : ({ kind: "read", targets } as const);
  const clock = { now, marked, deadline, heldUntil, timeout: settings.targetTimeout };
  return heldByTargets(nextStep(snapshot), known, clock);
}

function looked(at: "list" | "read volumes", state: Simulation): Simulation {
  if (at === "read volumes") return volumesRead(state);
  const { snapshot } = state;
  return { ...state, snapshot: { ...snapshot, listed: snapshot.now } };
}

/** The volumes of the pods that have left, and when each of them is detached. */
function volumesRead(state: Simulation): Simulation {
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
