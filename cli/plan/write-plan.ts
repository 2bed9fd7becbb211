import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import type { DrainTime, Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import { blockersIn, workloadOf } from "../../lambda/forecast/workload.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { repairLines } from "../repair/repair-case.ts";
import type { PlannedRepairs } from "../repair/repairs-at.ts";
import type { SettingInFile } from "../status/status-schema.ts";
import { type Line, line, writeLines } from "../terminal/lines.ts";
import type { GroupUpgrade } from "../upgrade/upgrade-plan.ts";
import { upgradePlanLines } from "../upgrade/upgrade-plan-lines.ts";
import { nodePage } from "./node-page.ts";
import { overviewPage } from "./overview-page.ts";
import type { PlannedNodes } from "./plan.ts";
import { roomFirstWords } from "./room-first.ts";
import type { PlanScope } from "./scope.ts";
import { dataWords, holdsOf, holdWords } from "./words.ts";

/** The content of a plan. */
export interface PlanReport {
  readonly scope: PlanScope;
  readonly plan: PlannedBeside;
  readonly upgrade: GroupUpgrade;
  readonly code: ExitCode;
}

/** Writes a plan for programs: an object for each node, one for the upgrade of a group, and a summary. */
export function writeJson({ scope, plan, upgrade, code }: PlanReport, { stdout }: Io): void {
  for (const forecast of plan.forecasts) printJson(stdout, planObject(forecast));
  if (upgrade.kind === "planned") printJson(stdout, upgrade.plan);
  const notLookedAt = unlookedAt(plan, upgrade);
  printJson(stdout, planSummary(scope, { ...plan, notLookedAt }, code));
}

export function writePages({ scope, plan, upgrade }: PlanReport, io: Io): void {
  const { forecasts, room, repairs, remarks } = plan;
  const pages: (readonly Line[])[] =
    scope.kind === "nodes" ? forecasts.map(nodePage) : [overviewPage(scope, forecasts)];
  const notes = [...remarks, `not looked at: ${unlookedAt(plan, upgrade).join(", ")}`];
  const made = room.map((one) => line(one.why === "" ? "good" : "careful", 1, roomFirstWords(one)));
  if (room.length > 0) pages.push([line("plain", 0, "Room that is made first:"), ...made]);
  if (repairs.length > 0) pages.push([line("bad", 0, "Repairs:"), ...repairLines(repairs, 1)]);
  if (upgrade.kind === "planned") {
    const title = line("plain", 0, "If all its nodes were upgraded:");
    pages.push([title, ...upgradePlanLines(upgrade.plan, 1)]);
  }
  for (const page of pages) writeLines([...page, line("plain", 0, "")], io);
  writeLines(
    notes.map((note) => line("faint", 0, note)),
    io,
  );
}

const unlookedAt = ({ notLookedAt }: PlannedNodes, upgrade: GroupUpgrade): readonly string[] =>
  upgrade.kind === "unknown"
    ? [...notLookedAt, `the upgrade of the group (${upgrade.why})`]
    : notLookedAt;

const planObject = ({ node, timeout, force, quickest, longest, withForce, pods }: Forecast) => ({
  kind: "plan" as const,
  node: node.name,
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
  place: placement.kind,
  placeReason: placeWords(placement),
  tier,
  ownGraceSeconds: forecastPod.pod.grace / 1000,
  graceSeconds: grace / 1000,
  localData: forecastPod.localData.map(dataWords),
  warnings,
});

/** The drains of a plan, and what is reported with them. */
interface PlannedBeside extends PlannedNodes, Pick<PlannedRepairs, "repairs"> {
  readonly settings: readonly SettingInFile[];
}

const planSummary = (
  scope: PlanScope,
  { forecasts, room, repairs, settings, remarks, notLookedAt }: PlannedBeside,
  exitCode: ExitCode,
) => ({
  kind: "plan-summary" as const,
  scope: scope.kind,
  exitCode,
  nodes: forecasts.length,
  blockers: blockersIn(forecasts).map(({ workload, for: hold, pods, nodes }) => ({
    workload,
    reason: holdWords(hold),
    pods: pods.length,
    nodes,
  })),
  room,
  repairs,
  settings: [...settings],
  remarks,
  notLookedAt,
});
