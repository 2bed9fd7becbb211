import type { Forecast, PodForecast } from "../../lambda/domain/forecast/forecast.ts";
import { type Blocker, blockersIn } from "../../lambda/domain/forecast/workload.ts";
import { isBare } from "../../lambda/domain/pod/pod.ts";
import { type Line, line } from "./line.ts";
import type { Scope } from "./scope.ts";
import { holdWords, many, range } from "./words.ts";

const mostBlockers = 10;
const slowest = 5;

/** The page about a group or a cluster: the ten workloads that will block the next upgrade, the slowest nodes, and counts. */
export function overviewPage(
  scope: Exclude<Scope, { readonly kind: "nodes" }>,
  forecasts: readonly Forecast[],
): readonly Line[] {
  const blockers = blockersIn(forecasts);
  const blocked = new Set(blockers.flatMap(({ nodes }) => nodes)).size;
  const pods = forecasts.flatMap((one) => one.pods).filter(({ fate }) => fate.kind !== "stays");
  return [
    line(
      `${scope.kind} ${scope.name}: ${many(forecasts.length, "node")}, ${many(pods.length, "pod")} to move; ${many(blocked, "node")} would not be drained in time without force`,
      0,
      blocked === 0 ? "good" : "bad",
    ),
    ...ranking(blockers),
    ...slowNodes(forecasts),
    ...counts(pods),
  ];
}

function ranking(blockers: readonly Blocker[]): readonly Line[] {
  if (blockers.length === 0) return [line("No workload will block the next upgrade.")];
  const more = blockers.length - mostBlockers;
  return [
    line("These workloads will block the next upgrade:", 0, "bad"),
    ...blockers
      .slice(0, mostBlockers)
      .flatMap((one, index) => [
        line(
          `${index + 1}. ${one.workload}: ${many(one.pods.length, "pod")} on ${many(one.nodes.length, "node")}`,
          2,
        ),
        line(holdWords(one.for), 5),
      ]),
    ...(more > 0 ? [line(`and ${more} more: --json tells all`, 2, "faint")] : []),
  ];
}

function slowNodes(forecasts: readonly Forecast[]): readonly Line[] {
  const first = forecasts.toSorted((a, b) => b.longest.time - a.longest.time).slice(0, slowest);
  return [
    line("These nodes take longest:"),
    ...first.map(({ node, quickest, longest }) =>
      line(`${node.name}: ${range(quickest.time, longest.time)}`, 2),
    ),
  ];
}

const counted: readonly (readonly [title: string, is: (one: PodForecast) => boolean])[] = [
  ["at once", ({ fate }) => fate.kind === "goes"],
  ["after a wait", ({ fate }) => fate.kind === "waits"],
  ["without a place elsewhere", ({ placement }) => placement.kind !== "place"],
  ["put up again by nobody", ({ resident }) => isBare(resident.pod)],
  ["with local data that is lost", ({ resident }) => resident.localData.length > 0],
];

const counts = (pods: readonly PodForecast[]): readonly Line[] => [
  line("The rest:"),
  ...counted.map(([title, is]) => line(`${title}: ${many(pods.filter(is).length, "pod")}`, 2)),
];
