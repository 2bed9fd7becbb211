import { between, type Duration, milliseconds } from "../base/time.ts";
import { type Budget, budgetsOver, budgetTitle } from "../drain/budget.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { Node } from "../drain/node.ts";
import type { Placement } from "../drain/placement.ts";
import { isCritical } from "../drain/pod-class.ts";
import { warningsOf } from "../drain/warnings.ts";
import { type Fate, type Force, fateOf, forceOn, type Trials } from "./fate.ts";
import { type Fit, fitOf } from "./fit.ts";
import { beginning, type ForecastInput } from "./forecast-input.ts";
import type { ForecastPod } from "./forecast-pod.ts";
import { type Pace, quick, slow } from "./pace.ts";
import { simulate } from "./simulate.ts";
import type { Simulation } from "./simulation.ts";

/** The forecast of a node's drain, if it starts now. */
export interface Forecast {
  readonly node: Node;
  readonly pods: readonly PodForecast[];
  /** If everything is as quick as can be, and if everything takes long; both without force. */
  readonly quickest: DrainTime;
  readonly longest: DrainTime;
  /** If everything takes long, but force is allowed. */
  readonly withForce: DrainTime;
  /** The time limit of the drain. */
  readonly timeout: Duration;
  /** The force that the deployment allows. */
  readonly force: DrainSettings["force"];
}

/** The fate of a pod and of its replacement. */
export interface PodForecast {
  readonly forecastPod: ForecastPod;
  readonly fate: Fate;
  readonly force: Force;
  readonly fit: Fit;
  readonly placement: Placement;
  readonly tier: "ordinary" | "critical";
  /** The rest of its grace that the drain can give. */
  readonly grace: Duration;
  /** The costs of its eviction, and the problems of its annotations. */
  readonly warnings: readonly string[];
}

/** The time of a drain, and its parts. */
export interface DrainTime {
  readonly time: Duration;
  readonly parts: readonly DrainTimePart[];
}

export interface DrainTimePart {
  readonly on: string;
  readonly time: Duration;
  /** The number of rounds of evictions that a budget causes; 0 if it is not about a budget. */
  readonly rounds: number;
}

/** Foresees the drains of nodes that leave together by letting the engine drain them in mind. */
export function forecastsOf(inputs: readonly ForecastInput[]): readonly Forecast[] {
  const budgets = sharedBy(inputs);
  const all = inputs.map((input) => ({ ...input, budgets }));
  const ends = (pace: Pace, force: DrainSettings["force"]) =>
    simulate(all.map((input) => beginning(input, pace, force)));
  const [fast, late, hard] = [
    ends(quick, "never"),
    ends(slow, "never"),
    ends(slow, "at-deadline"),
  ] as const;
  return all.map((input, index) => {
    const start = beginning(input, slow, "never");
    const endOf = (some: readonly Simulation[]) => some[index] ?? start;
    return forecastBy(input, {
      start,
      quick: endOf(fast),
      slow: endOf(late),
      forced: endOf(hard),
    });
  });
}

const sharedBy = (inputs: readonly ForecastInput[]): readonly Budget[] => [
  ...new Map(
    inputs.flatMap(({ budgets }) => budgets).map((budget) => [budgetTitle(budget), budget]),
  ).values(),
];

function forecastBy(input: ForecastInput, trials: Trials): Forecast {
  const { node, forecastPods, placements, lengths, longestDrain } = input;
  return {
    node,
    timeout: lengths.toDeadline,
    force: input.settings.force,
    quickest: spanOf(trials.quick),
    longest: spanOf(trials.slow),
    withForce: spanOf(trials.forced),
    pods: forecastPods.map((forecastPod) => {
      const { pod } = forecastPod;
      const force = forceOn(forecastPod, trials);
      return {
        forecastPod,
        fate: fateOf(forecastPod, trials),
        force,
        fit: fitOf(pod, force, { timeout: lengths.toDeadline, longest: longestDrain }),
        placement: placements.get(pod.uid) ?? { kind: "place" },
        tier: isCritical(pod) ? "critical" : "ordinary",
        grace: trials.slow.asked.get(pod.uid)?.grace ?? pod.grace,
        warnings: warningsOf(pod, []),
      };
    }),
  };
}

function spanOf(end: Simulation): DrainTime {
  const { begun, now } = end.snapshot;
  const parts = Map.groupBy(end.spent, ({ on }) => on);
  return {
    time: between(begun, now),
    parts: [...parts].map(([on, spent]) => ({
      on,
      time: milliseconds(spent.reduce((sum, { time }) => sum + time, 0)),
      rounds: roundsOf(spent[0]?.budget ?? "", end),
    })),
  };
}

/**
 * The number of times that the drain waits for the same budget before the next of its pods can
 * leave.
 */
function roundsOf(title: string, { setting, asked, snapshot: { budgets } }: Simulation): number {
  const budget = budgets.find((one) => title === budgetTitle(one));
  if (budget === undefined) return 0;
  const pods = [...setting.forecastPods.values()].map(({ pod }) => pod);
  const governed = pods.filter((pod) => budgetsOver(pod, [budget]).length > 0);
  return new Set(governed.flatMap(({ uid }) => asked.get(uid)?.at ?? [])).size;
}
