import type { Tone } from "../../journal/line.ts";
import { counted } from "../../lambda/base/counted.ts";
import { spoken } from "../../lambda/base/time.ts";
import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import type { Fate } from "../../lambda/forecast/fate.ts";
import type { Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";
import { type Line, line } from "../terminal/lines.ts";
import { closedWords } from "./closed-words.ts";
import {
  fitWords,
  forceWords,
  holdsOf,
  holdWords,
  leftAlone,
  lossWords,
  partWords,
  range,
} from "./words.ts";

/** The page about a node: first pods that will never leave, then what takes long or is lost, and the rest as counts. */
export function nodePage(forecast: Forecast): readonly Line[] {
  const { pods, timeout } = forecast;
  const held = heldTexts(forecast.force);
  const of = (...kinds: readonly Fate["kind"][]) =>
    pods.filter(({ fate }) => kinds.includes(fate.kind));
  const moving = of("goes", "waits", "late", "stuck", "never");
  return [
    line(tone(forecast), 0, `node ${forecast.node.name}: ${verdict(forecast)}`),
    ...closedLines(forecast),
    ...section(`Will not go within ${spoken(timeout)}:`, "bad", rowsOf(of("never"), held)),
    ...section("May be too late:", "careful", rowsOf(of("late"), held)),
    ...section("Will end, but stay in the API:", "careful", rowsOf(of("stuck"), held)),
    ...section("Wait:", "careful", rowsOf(of("waits"), held)),
    ...section(
      "Find no place elsewhere:",
      "careful",
      rowsOf(moving, (one) => [placeWords(one.placement)]),
    ),
    ...section("Lose something:", "careful", rowsOf(moving, lossWords)),
    ...rest(forecast),
  ];
}

function closedLines({ node }: Forecast): readonly Line[] {
  const closed = closedWords(node);
  return closed === "" ? [] : [line("careful", 1, `closed to new pods already: ${closed}`)];
}

const heldTexts =
  (allowed: Forecast["force"]) =>
  (one: PodForecast): readonly string[] => [
    ...holdsOf(one.fate).map(holdWords),
    forceWords(one.force, allowed),
    one.force.kind === "nothing" || allowed === "never" ? "" : fitWords(one),
  ];

const countOf = ({ pods }: Forecast, ...kinds: readonly Fate["kind"][]): number =>
  pods.filter(({ fate }) => kinds.includes(fate.kind)).length;

function verdict(forecast: Forecast): string {
  const never = countOf(forecast, "never");
  const going = forecast.pods.length - countOf(forecast, "stays");
  const time = range(forecast.quickest.time, forecast.longest.time);
  return never === 0
    ? `${counted(going, "pod")} ${going === 1 ? "goes" : "go"}, in ${time}`
    : `${never} of ${counted(going, "pod")} will not go within ${spoken(forecast.timeout)} without force`;
}

const tone = (forecast: Forecast) => (countOf(forecast, "never") === 0 ? "good" : "bad");

function rest(forecast: Forecast): readonly Line[] {
  const { pods, quickest, longest, withForce } = forecast;
  const critical = pods.filter(({ tier, fate }) => tier === "critical" && fate.kind !== "stays");
  const stays = Object.entries(
    Object.groupBy(pods, ({ fate }) => (fate.kind === "stays" ? fate.as : "")),
  ).filter(([as]) => as !== "");
  const leftAloneText = stays.map(([as, all = []]) => `${all.length} ${leftAlone[as]}`).join(", ");
  return [
    line("plain", 0, "The rest:"),
    line(
      "plain",
      1,
      `at once: ${counted(countOf(forecast, "goes"), "pod")}; last: ${counted(critical.length, "critical pod")}`,
    ),
    ...(leftAloneText === "" ? [] : [line("plain", 1, `left alone: ${leftAloneText}`)]),
    ...longestGrace(forecast),
    line("plain", 1, `at the quickest ${spoken(quickest.time)}: ${partWords(quickest.parts)}`),
    line("plain", 1, `at the longest ${spoken(longest.time)}: ${partWords(longest.parts)}`),
    ...(forecast.force === "never" || countOf(forecast, "never") === 0
      ? []
      : [line("plain", 1, `with force at most ${spoken(withForce.time)}`)]),
  ];
}

function longestGrace({ pods }: Forecast): readonly Line[] {
  const moving = pods.filter(({ fate }) => fate.kind !== "stays");
  const [first] = moving.toSorted((a, b) => b.forecastPod.pod.grace - a.forecastPod.pod.grace);
  if (first === undefined) return [];
  const { pod } = first.forecastPod;
  return [line("plain", 1, `longest grace: ${spoken(pod.grace)} of ${podTitle(pod)}`)];
}

const mostRows = 20;
const mostNames = 5;

/** A section about some workloads; empty if there are none. */
function section(title: string, tone: Tone, rows: readonly WorkloadRow[]): readonly Line[] {
  if (rows.length === 0) return [];
  const more = rows.length - mostRows;
  return [
    line(tone, 0, title),
    ...rows.slice(0, mostRows).flatMap(linesOf),
    ...(more > 0 ? [line("faint", 1, `and ${more} more workloads: --json tells all`)] : []),
  ];
}

const linesOf = ({ workload, isAlone, pods, texts }: WorkloadRow): readonly Line[] => [
  line("plain", 1, isAlone ? workload : `${workload}: ${named(pods)}`),
  ...texts.map((text) => line("plain", 2, text)),
];

function named(pods: readonly string[]): string {
  const more = pods.length - mostNames;
  const names = pods.slice(0, mostNames).join(", ");
  return more > 0 ? `${names} and ${more} more` : names;
}

/** Pods of one workload with the same texts. */
interface WorkloadRow {
  readonly workload: string;
  /** True for a pod without a controller. */
  readonly isAlone: boolean;
  readonly pods: readonly string[];
  readonly texts: readonly string[];
}

/** Combines the pods of a workload that have the same text into one row. Pods without a text have no row. */
function rowsOf(
  pods: readonly PodForecast[],
  textsOf: (pod: PodForecast) => readonly string[],
): readonly WorkloadRow[] {
  const said = pods.flatMap((one) => {
    const texts = textsOf(one).filter((text) => text !== "");
    const { pod } = one.forecastPod;
    const isAlone = pod.controller.kind === "none";
    const workload = workloadOf(pod);
    return texts.length === 0 ? [] : [{ workload, isAlone, pod: pod.name, texts }];
  });
  const groups = Map.groupBy(said, ({ workload, texts }) => JSON.stringify([workload, texts]));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ workload, isAlone, texts }) => ({
      workload,
      isAlone,
      texts,
      pods: same.map(({ pod }) => pod),
    })),
  );
}
