import { seconds } from "../../lambda/base/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { pause } from "../pause.ts";
import { lineTeller } from "../status/watch-status.ts";
import { type Line, line, writeLines } from "../terminal/lines.ts";
import { Screen } from "../terminal/screen.ts";
import { upgradeLines } from "./upgrade-lines.ts";
import type { UpgradeReport } from "./upgrade-schema.ts";
import type { UpgradeSite } from "./upgrade-site.ts";

/** Whom the state of an upgrade is told, and where it is read. */
export interface Telling {
  readonly io: Io;
  readonly site: Pick<UpgradeSite, "look" | "refusalOf">;
  readonly json: boolean;
}

/** Tells once where the upgrade of a group stands. */
export async function tellUpgrade(group: string, { io, site, json }: Telling): Promise<ExitCode> {
  const report = await site.look(group);
  if (json) printJson(io.stdout, report);
  else writeLines(upgradeLines(report), io);
  return exitCodes.done;
}

const between = seconds(5);

/** Tells where an upgrade stands, again and again, until it has ended or somebody interrupts; says then whether it was done. */
export async function followUpgrade(
  group: string,
  id: string,
  telling: Telling,
): Promise<ExitCode> {
  const { io, site } = telling;
  const tell = telling.json ? tellChanges(io) : tellPeople(id, io);
  while (!io.interrupted.aborted) {
    const report = await site.look(group);
    tell(report);
    if (report.id !== id) await assertNotRefused(report, id, site);
    if (isOver(report, id)) return codeOf(report);
    await pause(between, io.interrupted);
  }
  new Screen(io).complain(`no longer followed; upgrade ${id} of ${group} goes on by itself`);
  return exitCodes.notDone;
}

/** All nodes are new also where somebody else has scaled the group meanwhile. */
const codeOf = ({ last }: UpgradeReport): ExitCode =>
  last?.outcome === "done" || last?.outcome === "scaled-elsewhere"
    ? exitCodes.done
    : exitCodes.notDone;

/** The log tells in full why the function has refused to begin; who cannot read it, or has no log yet, reads the tag. */
async function assertNotRefused(
  { last }: UpgradeReport,
  id: string,
  site: Telling["site"],
): Promise<void> {
  if (last?.id === id && last.outcome !== "refused") return;
  const told = last?.id === id ? [last.issue] : [];
  const logged = await site.refusalOf(id);
  const reasons = logged.length > 0 ? logged : told;
  if (reasons.length > 0) throw new CommandFailure(reasons.join("; "), nothingChanged);
}

const nothingChanged = "nothing was changed; docs/upgrade.md says what each error means";

/** A program hears what has changed, apart from times. */
function tellChanges({ stdout }: Io): (report: UpgradeReport) => void {
  let told = "";
  return (report) => {
    const text = JSON.stringify({ ...report, at: "", seen: "", secondsLeft: 0 });
    if (text !== told) printJson(stdout, report);
    told = text;
  };
}

/** Tells people how an upgrade goes on: a terminal is drawn anew, elsewhere only changes are told. */
export function tellPeople(id: string, io: Io): (report: UpgradeReport) => void {
  const screen = new Screen(io);
  const tell = lineTeller(screen, io);
  return (report) => {
    if (!isOver(report, id)) return tell(report.at, linesOf(report, id));
    screen.show([]);
    writeLines(upgradeLines(report), io);
  };
}

/** An upgrade has ended when the group's tags say so, and those of no other upgrade are there. */
const isOver = ({ last, id: current }: UpgradeReport, id: string): boolean =>
  last?.id === id && current !== id;

const linesOf = (report: UpgradeReport, id: string): readonly Line[] =>
  report.id === id
    ? upgradeLines(report)
    : [line("faint", 0, `${report.group}: upgrade ${id} waits for the function`)];
