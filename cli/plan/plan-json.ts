import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import type { Forecast, PodForecast, Span } from "../../lambda/forecast/forecast.ts";
import { blockersIn, workloadOf } from "../../lambda/forecast/workload.ts";
import type { ExitCode } from "../exit-code.ts";
import type { PlannedRepairs } from "../repair/planned-repairs.ts";
import type { SaidSetting } from "../status/status-schema.ts";
import type { Planned } from "./plan.ts";
import type { Scope } from "./scope.ts";
import { holdsOf, holdWords } from "./words.ts";

/** The plan of a node for programs. */
export const planObject = ({
  node,
  timeout,
  force,
  quickest,
  longest,
  withForce,
  pods,
}: Forecast) => ({
  kind: "plan" as const,
  node: node.name,
  timeoutSeconds: timeout / 1000,
  forceAllowed: force,
  quickest: spanObject(quickest),
  longest: spanObject(longest),
  withForce: spanObject(withForce),
  pods: pods.map(podObject),
});

const spanObject = ({ time, parts }: Span) => ({
  seconds: time / 1000,
  parts: parts.map(({ on, time: part, rounds }) => ({ on, seconds: part / 1000, rounds })),
});

const podObject = ({ resident, fate, force, placement, tier, grace, warnings }: PodForecast) => ({
  pod: podTitle(resident.pod),
  workload: workloadOf(resident.pod),
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
  ownGraceSeconds: resident.pod.grace / 1000,
  graceSeconds: grace / 1000,
  localData: resident.localData,
  warnings,
});

/** The drains of a plan, and what is told beside them. */
export interface PlannedBeside extends Planned, Pick<PlannedRepairs, "repairs"> {
  /** What the files of the cluster say. */
  readonly settings: readonly SaidSetting[];
}

/** The end of a plan for programs. */
export const planSummary = (
  scope: Scope,
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
