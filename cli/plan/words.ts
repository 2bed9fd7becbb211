import { type Duration, spoken } from "../../lambda/base/time.ts";
import type { Fate, Force } from "../../lambda/forecast/fate.ts";
import type { Fit } from "../../lambda/forecast/fit.ts";
import type { DrainTimePart, Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import type { LocalData } from "../../lambda/forecast/forecast-pod.ts";
import type { Hold } from "../../lambda/forecast/hold.ts";

const remedies: Readonly<Partial<Record<Hold["kind"], string>>> = {
  budget: "see that more of its pods become ready, or relax the budget",
  operator: "if it does not, scale up or relax the budget",
  protection: "take the protection away, or let force overrule it",
  refused: "ask the owner of the webhook or policy that refuses it",
  "only-cordoned": "set DRAIN_MODE to evict",
  finalizers: "find out whose finalizers they are, and why nobody takes them away",
};

/** A hold on a pod, and the remedy, in words. */
export function holdWords(hold: Hold): string {
  const remedy = remedies[hold.kind];
  // The words about a budget that can never be met contain the remedy.
  return remedy === undefined ? hold.words : `${hold.words}; ${remedy}`;
}

/** The holds on a pod, now and before. */
export function holdsOf(fate: Fate): readonly Hold[] {
  if (fate.kind === "stays" || fate.kind === "goes") return [];
  return fate.kind === "waits" ? fate.for : [fate.for];
}

/** The effect of force on a pod; empty if there is none. */
export function forceWords(force: Force, allowed: Forecast["force"]): string {
  if (force.kind === "nothing") return "";
  const when = `${spoken(force.after)} after the notice, with ${spoken(force.grace)} of grace`;
  return allowed === "never"
    ? "force is off, so it is still there when the instance ends"
    : `force ${force.kind} it ${when}`;
}

/**
 * The drain timeout with which a forced pod's whole grace period fits, in words, or that none does; empty if it fits.
 */
export function fitWords({ fit, forecastPod: { pod } }: PodForecast): string {
  if (fit.kind === "fits") return "";
  const grace = `its grace of ${spoken(pod.grace)}`;
  return fit.kind === "never"
    ? `${grace} fits into no drain, for a hook holds no instance as long; budgets count for half of a drain, ${spoken(fit.budgets)} at most`
    : `${grace} fits with "timeoutSeconds": ${fit.timeout / 1000}, and what holds it has as long`;
}

/** The same for a pod that nothing holds, as the end of a sentence. */
const freeFitWords = (fit: Fit): string => {
  if (fit.kind === "fits") return "";
  return fit.kind === "never"
    ? ", which fits into no drain, for a hook holds no instance as long"
    : `, which fits with "timeoutSeconds": ${fit.timeout / 1000}`;
};

/** The data that a pod leaves behind, for people. */
export const dataWords = ({ volume, name }: LocalData): string => `${volume} ${name}`;

/** The losses of a pod: data, its grace, or itself. */
export function lossWords({ forecastPod, fit, grace, warnings }: PodForecast): readonly string[] {
  const { pod, localData } = forecastPod;
  const cut =
    grace < pod.grace
      ? [`gets ${spoken(grace)} of its grace of ${spoken(pod.grace)}${freeFitWords(fit)}`]
      : [];
  // The warnings name the others.
  const others = localData.filter(({ volume }) => volume !== "emptyDir").map(dataWords);
  const data = others.length === 0 ? [] : [`leaves its data behind: ${others.join(", ")}`];
  return [...warnings, ...data, ...cut];
}

/** The parts of a drain's time, in words. */
export const partWords = (parts: readonly DrainTimePart[]): string =>
  parts
    .filter(({ time }) => time >= 500)
    .map(
      ({ on, time, rounds }) => `${on} ${spoken(time)}${rounds > 1 ? ` in ${rounds} rounds` : ""}`,
    )
    .join(" + ");

export const range = (quickest: Duration, longest: Duration): string =>
  spoken(quickest) === spoken(longest)
    ? spoken(longest)
    : `${spoken(quickest)} to ${spoken(longest)}`;

/** The kinds of pods that a drain leaves alone, for people. */
export const leftAlone: Readonly<Partial<Record<string, string>>> = {
  mirror: "static pods",
  terminal: "ended pods",
  daemonset: "pods of DaemonSets",
  skipped: "pods that it is set to skip",
  returned: "pods that come back at once",
  stuck: "pods that should long have ended",
};
