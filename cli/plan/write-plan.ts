import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import type { DrainTime, Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import { blockersIn, workloadOf } from "../../lambda/forecast/workload.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import type { SettingInFile } from "../status/setting-schema.ts";
import { type Line, line, writeLines } from "../terminal/lines.ts";
import { closedWords } from "./closed-words.ts";
import { nodePage } from "./node-page.ts";
import { overviewPage } from "./overview-page.ts";
import type { OwnPlan } from "./own-plan.ts";
import type { PlannedNodes } from "./plan.ts";
import { roomFirstWords } from "./room-first.ts";
import type { PlanScope } from "./scope.ts";
import { dataWords, holdsOf, holdWords } from "./words.ts";

/** The content of a plan. */
export interface PlanReport extends PlannedNodes {
  readonly scope: PlanScope;
  /** The parts that subjects add to the drains. */
  readonly own: OwnPlan;
  readonly settings: readonly SettingInFile[];
  readonly code: ExitCode;
}

/** Writes a plan for programs: an object for each node, those of subjects, and a summary. */
export function writeJson(plan: PlanReport, { stdout }: Io): void {
  for (const forecast of plan.forecasts) printJson(stdout, planObject(forecast));
  for (const object of plan.own.objects) printJson(stdout, object);
  printJson(stdout, planSummary(plan));
}

export function writePages(plan: PlanReport, io: Io): void {
  const { scope, forecasts, room, own, remarks, notLookedAt } = plan;
  const pages: (readonly Line[])[] =
    scope.kind === "nodes" ? forecasts.map(nodePage) : [overviewPage(scope, forecasts)];
  const notes = [...remarks, `not looked at: ${notLookedAt.join(", ")}`];
  const made = room.map((one) => line(one.why === "" ? "good" : "careful", 1, roomFirstWords(one)));
  if (room.length > 0) pages.push([line("plain", 0, "Room that is made first:"), ...made]);
  for (const page of [...pages, ...own.pages]) writeLines([...page, line("plain", 0, "")], io);
  writeLines(
    notes.map((note) => line("faint", 0, note)),
    io,
  );
}

const planObject = ({ node, timeout, force, quickest, longest, withForce, pods }: Forecast) => ({
  kind: "plan" as const,
  node: node.name,
  closed: closedWords(node),
  timeoutSeconds: timeout / 1000,
  forceAllowed: force,
  quickest: spanObject(quickest),
  longest: spanObject(longest),
  withForce: spanObject(withForce),
  pods: pods.map(podObject),
});

const spanObject = ({ time, parts }: DrainTime) => ({
  seconds: time / 1000,
  parts: parts.map(({ on, time: part, rounds }) => ({ on, seconds: part / 1000, rounds })),
});

const podObject = ({
  forecastPod,
  fate,
  force,
  fit,
  placement,
  tier,
  grace,
  warnings,
}: PodForecast) => ({
  pod: podTitle(forecastPod.pod),
  workload: workloadOf(forecastPod.pod),
  fate: fate.kind,
  class: fate.kind === "stays" ? fate.as : "",
  holds: holdsOf(fate).map((hold) => ({
    kind: hold.kind,
    reason: holdWords(hold),
    budgets: "budgets" in hold ? hold.budgets : [],
  })),
  force: force.kind,
  forceAfterSeconds: force.kind === "nothing" ? 0 : force.after / 1000,
  fit: fit.kind,
  fitTimeoutSeconds: fit.kind === "with-timeout" ? fit.timeout / 1000 : 0,
  place: placement.kind,
  placeReason: placeWords(placement),
  tier,
  ownGraceSeconds: forecastPod.pod.grace / 1000,
  graceSeconds: grace / 1000,
  localData: forecastPod.localData.map(dataWords),
  warnings,
});

const planSummary = ({ forecasts, room, own, settings, ...plan }: PlanReport) => ({
  kind: "plan-summary" as const,
  scope: plan.scope.kind,
  exitCode: plan.code,
  nodes: forecasts.length,
  blockers: blockersIn(forecasts).map(({ workload, for: hold, pods, nodes }) => ({
    workload,
    reason: holdWords(hold),
    pods: pods.length,
    nodes,
  })),
  room,
  ...own.summary,
  settings: [...settings],
  remarks: plan.remarks,
  notLookedAt: plan.notLookedAt,
});
