import { between, type Duration } from "../base/time.ts";
import { holdsNode, type PodClass, podClassOf } from "../drain/pod-class.ts";
import type { ForecastPod } from "./forecast-pod.ts";
import { type Hold, tryHold } from "./hold.ts";
import type { Simulation } from "./simulation.ts";

/** The result of a drain for a pod, without force. */
export type Fate =
  /** The drain neither evicts it nor waits for it. */
  | { readonly kind: "stays"; readonly as: PodClass }
  /** Nothing but the order of tiers keeps it. */
  | { readonly kind: "goes" }
  /** It goes before the deadline, but later than it could; or when it ends by itself. */
  | { readonly kind: "waits"; readonly for: readonly Hold[] }
  /** It goes before the deadline only if everything is quick. */
  | { readonly kind: "late"; readonly for: Hold }
  /** It ends, but stays in the API, and the drain stops waiting for it. */
  | { readonly kind: "stuck"; readonly for: Hold }
  /** It is still there at the deadline, however quick everything is. */
  | { readonly kind: "never"; readonly for: Hold };

/** The same drain, simulated three times: with everything quick, with everything slow, and slow with force. */
export interface Trials {
  readonly start: Simulation;
  readonly quick: Simulation;
  readonly slow: Simulation;
  readonly forced: Simulation;
}

/** The fate of a pod. */
export function fateOf(forecastPod: ForecastPod, { start, quick, slow }: Trials): Fate {
  const { pod } = forecastPod;
  if (!holdsNode(pod, start.snapshot)) {
    // Pods of DaemonSets are evicted if the settings say so, although the drain does not wait for them.
    return slow.asked.has(pod.uid)
      ? { kind: "goes" }
      : { kind: "stays", as: podClassOf(pod, start.snapshot) };
  }
  const left = tryLeft(forecastPod, quick);
  if (left !== undefined) return left;
  const late = tryLeft(forecastPod, slow);
  if (late !== undefined) return inTime(late);
  const holds = (slow.holds.get(pod.uid) ?? []).filter(({ kind }) => !usual.includes(kind));
  return holds.length === 0 ? { kind: "goes" } : { kind: "waits", for: holds };
}

/** A pod that ends by itself does so when it likes. */
function inTime(left: StayingFate): Fate {
  if (left.kind === "stuck") return left;
  return left.for.kind === "own-end"
    ? { kind: "waits", for: [left.for] }
    : { kind: "late", for: left.for };
}

const usual: readonly Hold["kind"][] = ["tier", "ending"];

type StayingFate = Extract<Fate, { readonly kind: "never" | "stuck" }>;

/** Why the pod is still there when the drain ends; `undefined` when it is gone. */
function tryLeft(forecastPod: ForecastPod, { snapshot }: Simulation): StayingFate | undefined {
  const pod = snapshot.pods.find(({ uid }) => uid === forecastPod.pod.uid);
  if (pod === undefined) return undefined;
  const hold = tryHold({ ...forecastPod, pod }, snapshot) ?? unasked;
  return { kind: holdsNode(pod, snapshot) ? "never" : "stuck", for: hold };
}

const unasked: Hold = { kind: "ending", words: "there is no time left to evict it" };

/** The effect of force on a pod. */
export type Force =
  | { readonly kind: "nothing" }
  /** So long after the notice, with so much of its grace. */
  | {
      readonly kind: "deletes" | "evicts";
      readonly after: Duration;
      readonly grace: Duration;
    };

/**
 * The effect of force on a pod: nothing where the pod leaves anyway, or where force does not help.
 */
export function forceOn({ pod: { uid } }: ForecastPod, { forced, slow, start }: Trials): Force {
  const asked = forced.asked.get(uid);
  if (asked === undefined || (asked.verb === "evict" && slow.asked.has(uid)))
    return { kind: "nothing" };
  const after = between(start.snapshot.begun, asked.at);
  return { kind: asked.verb === "evict" ? "evicts" : "deletes", after, grace: asked.grace };
}
