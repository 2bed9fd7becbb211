import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { repairLines } from "../repair/repair-case.ts";
import { type Line, line, writeLines } from "../terminal/lines.ts";
import type { GroupUpgrade } from "../upgrade/group-upgrade.ts";
import { upgradePlanLines } from "../upgrade/upgrade-plan-lines.ts";
import { nodePage } from "./node-page.ts";
import { overviewPage } from "./overview-page.ts";
import type { Planned } from "./plan.ts";
import { type PlannedBeside, planObject, planSummary } from "./plan-json.ts";
import { roomFirstWords } from "./room-first.ts";
import type { Scope } from "./scope.ts";

/** All that a plan tells. */
export interface Told {
  readonly scope: Scope;
  readonly plan: PlannedBeside;
  readonly upgrade: GroupUpgrade;
  readonly code: ExitCode;
}

/** Writes a plan for programs: an object for each node, one for the upgrade of a group, and a summary. */
export function writeJson({ scope, plan, upgrade, code }: Told, { stdout }: Io): void {
  for (const forecast of plan.forecasts) printJson(stdout, planObject(forecast));
  if (upgrade.kind === "planned") printJson(stdout, upgrade.plan);
  const notLookedAt = unlookedAt(plan, upgrade);
  printJson(stdout, planSummary(scope, { ...plan, notLookedAt }, code));
}

/** Writes a plan for people. */
export function writePages({ scope, plan, upgrade }: Told, io: Io): void {
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

const unlookedAt = ({ notLookedAt }: Planned, upgrade: GroupUpgrade): readonly string[] =>
  upgrade.kind === "unknown"
    ? [...notLookedAt, `the upgrade of the group (${upgrade.why})`]
    : notLookedAt;
