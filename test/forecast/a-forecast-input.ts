import { nodeName } from "../../lambda/base/ids.ts";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import { hookLengths } from "../../lambda/drain/drain-bounds.ts";
import { Places } from "../../lambda/drain/placement.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { NodeRoom } from "../../lambda/drain/reschedulable-pod.ts";
import { type Forecast, forecastsOf } from "../../lambda/forecast/forecast.ts";
import type { ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import { aNode, aPod, noon, someSettings } from "../support/builders.ts";

/** A pod that asks for one CPU, demands nothing of its node and became ready in 20 seconds. */
export const aResident = (
  pod: Partial<Pod> = {},
  change: Partial<ForecastPod> = {},
): ForecastPod => ({
  pod: aPod(pod),
  requests: { cpu: 1000, pods: 1 },
  demands: [],
  localData: [],
  attached: [],
  deviceClaims: [],
  operated: "",
  room: "none",
  life: "for ever",
  readyAfter: seconds(20),
  ...change,
});

/** A node that stays, with so many CPUs free. */
export const aRoom = (
  name: string,
  cpus: number,
  change: Partial<NodeRoom["node"]> = {},
): NodeRoom => ({
  node: aNode({ name: nodeName(name), unschedulable: false, ...change }),
  free: { cpu: cpus * 1000, pods: 50 },
});

/** A node with these pods whose drain has 15 minutes in one pass, and rooms for all of them elsewhere. */
export function aForecastInput(
  forecastPods: readonly ForecastPod[],
  change: Partial<ForecastInput> & { readonly rooms?: readonly NodeRoom[] } = {},
): ForecastInput {
  const { rooms = [aRoom("other", 100)], ...rest } = change;
  const settings = rest.settings ?? someSettings();
  return {
    now: noon,
    node: aNode(),
    forecastPods,
    budgets: [],
    orphaned: new Set(),
    placements: new Places(rooms).of(forecastPods, new Set([aNode().name])),
    targets: [],
    refusals: new Map(),
    settings,
    lengths: hookLengths(settings, minutes(30)),
    longestDrain: hours(47),
    pass: minutes(30),
    ...rest,
  };
}

/** The forecast of a node that leaves alone. */
export function forecastOf(input: ForecastInput): Forecast {
  const [forecast] = forecastsOf([input]);
  if (forecast === undefined) throw new Error("no forecast");
  return forecast;
}
