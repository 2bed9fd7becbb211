import { counted, someOf } from "../../lambda/base/counted.ts";
import { isBare } from "../../lambda/drain/pod.ts";
import type { Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import { type Blocker, blockersIn } from "../../lambda/forecast/workload.ts";
import { type Line, line } from "../terminal/lines.ts";
import { closedWords } from "./closed-words.ts";
import type { PlanScope } from "./scope.ts";
import { holdWords, range } from "./words.ts";

const mostBlockers = 10;
const slowest = 5;

/** The page about a group or cluster: the ten workloads that would hold their nodes, the slowest nodes, and counts. */
export function overviewPage(
  scope: Exclude<PlanScope, { readonly kind: "nodes" }>,
  forecasts: readonly Forecast[],
): readonly Line[] {
  const blockers = blockersIn(forecasts);
  const blocked = new Set(blockers.flatMap(({ nodes }) => nodes)).size;
  const pods = forecasts.flatMap((one) => one.pods).filter(({ fate }) => fate.kind !== "stays");
  return [
    line(
      blocked === 0 ? "good" : "bad",
      0,
      `${scope.kind} ${scope.name}: ${counted(forecasts.length, "node")}, ${counted(pods.length, "pod")} to move; ${counted(blocked, "node")} would not be drained in time without force`,
    ),
    ...closedNodes(forecasts),
    ...ranking(blockers),
    ...slowNodes(forecasts),
    ...counts(pods),
  ];
}

function closedNodes(forecasts: readonly Forecast[]): readonly Line[] {
  const closed = forecasts.map(({ node }) => node).filter((node) => closedWords(node) !== "");
  if (closed.length === 0) return [];
  const named = someOf(closed.map((node) => `${node.name} (${closedWords(node)})`));
  return [line("careful", 0, `closed to new pods already: ${named}`)];
}

function ranking(blockers: readonly Blocker[]): readonly Line[] {
  if (blockers.length === 0)
    return [line("plain", 0, "No workload would hold a drain until its deadline.")];
  const more = blockers.length - mostBlockers;
  return [
    line("bad", 0, "These workloads would hold a drain until its deadline:"),
    ...blockers
      .slice(0, mostBlockers)
      .flatMap((one, index) => [
        line(
          "plain",
          1,
          `${index + 1}. ${one.workload}: ${counted(one.pods.length, "pod")} on ${counted(one.nodes.length, "node")}`,
        ),
        line("plain", 2, holdWords(one.for)),
      ]),
    ...(more > 0 ? [line("faint", 1, `and ${more} more: --json tells all`)] : []),
  ];
}

function slowNodes(forecasts: readonly Forecast[]): readonly Line[] {
  const first = forecasts.toSorted((a, b) => b.longest.time - a.longest.time).slice(0, slowest);
  return [
    line("plain", 0, "These nodes take longest:"),
    ...first.map(({ node, quickest, longest }) =>
      line("plain", 1, `${node.name}: ${range(quickest.time, longest.time)}`),
    ),
  ];
}

const kinds: readonly (readonly [title: string, is: (one: PodForecast) => boolean])[] = [
  ["at once", ({ fate }) => fate.kind === "goes"],
  ["after a wait", ({ fate }) => fate.kind === "waits"],
  ["without a place elsewhere", ({ placement }) => placement.kind !== "place"],
  ["put up again by nobody", ({ forecastPod }) => isBare(forecastPod.pod)],
  ["with local data that is lost", ({ forecastPod }) => forecastPod.localData.length > 0],
];

const counts = (pods: readonly PodForecast[]): readonly Line[] => [
  line("plain", 0, "The rest:"),
  ...kinds.map(([title, is]) =>
    line("plain", 1, `${title}: ${counted(pods.filter(is).length, "pod")}`),
  ),
];
