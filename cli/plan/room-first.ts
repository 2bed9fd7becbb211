import { podTitle } from "../../lambda/drain/pod.ts";
import type { Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import type { ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { SurgeRound } from "../../lambda/forecast/forecast-pod.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";
import { waysToRoom } from "../ways-to-room.ts";
import type { RoomFirst, RoomGround } from "./room-ground.ts";
import { holdsOf } from "./words.ts";

const spent = ["budget", "overlapping-budgets", "unmeetable-budget"];

/** Checks each workload whose budget holds a node, as the first drain of these nodes would. */
export async function roomFirst(
  forecasts: readonly Forecast[],
  ground: RoomGround,
): Promise<readonly RoomFirst[]> {
  const held = forecasts.flatMap(({ node, pods }) =>
    pods
      .filter(isHeld)
      .map(({ forecastPod: { pod } }) => [workloadOf(pod), { pod, node }] as const),
  );
  // The first pod of each workload.
  const first = Array.from(new Map(held.toReversed()), ([workload, one]) => ({ workload, ...one }));
  const rooms = await Promise.all(waysToRoom.map(({ inPlan }) => inPlan()));
  const found = await Promise.all(rooms.map(({ roomFor }) => roomFor(first, ground)));
  return found.flat().toSorted((a, b) => a.workload.localeCompare(b.workload));
}

const isHeld = ({ fate }: PodForecast): boolean =>
  holdsOf(fate).some(({ kind }) => spent.includes(kind));

/** Gives the held pods of nodes that leave together their rounds: as many pods at once as room is made for. */
export function withRoom(
  inputs: readonly ForecastInput[],
  forecasts: readonly Forecast[],
  room: readonly RoomFirst[],
): readonly ForecastInput[] {
  const made = new Map(
    room.filter(({ why }) => why === "").map((one) => [one.workload, one] as const),
  );
  const nodes = new Set(inputs.map(({ node }) => node.name));
  const held = forecasts
    .filter(({ node }) => nodes.has(node.name))
    .flatMap(({ pods }) => pods.filter(isHeld).map(({ forecastPod: { pod } }) => pod))
    .toSorted((a, b) => podTitle(a).localeCompare(podTitle(b)));
  const rounds = new Map(
    [...Map.groupBy(held, workloadOf)].flatMap(([workload, pods]) => {
      const one = made.get(workload);
      return one === undefined ? [] : pods.map(({ uid }, index) => [uid, roundOf(one, index)]);
    }),
  );
  return inputs.map((input) => ({
    ...input,
    forecastPods: input.forecastPods.map((one) => ({
      ...one,
      room: rounds.get(one.pod.uid) ?? "none",
    })),
  }));
}

const roundOf = ({ workload, from, to }: RoomFirst, index: number): SurgeRound => ({
  words: `room is made first: ${workload} ${from} → ${to} pods`,
  round: Math.floor(index / (to - from)),
});

/** The change of a workload in words, for people. */
export const roomFirstWords = ({ workload, from, to, why }: RoomFirst): string =>
  why === ""
    ? `${workload}: ${from} → ${to} pods until those here are let go`
    : `${workload}: ${why}`;
