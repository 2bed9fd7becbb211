import type { Tone } from "../../journal/line.ts";
import { inSeconds, seconds, spoken } from "../../lambda/base/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { pause } from "../pause.ts";
import { shellWord } from "../shell-word.ts";
import { newsOf } from "../status/status-lines.ts";
import { lineTeller } from "../status/watch-status.ts";
import { type Line, line, writeLines } from "../terminal/lines.ts";
import { Screen } from "../terminal/screen.ts";
import type { UpgradedNode, UpgradeReport } from "./upgrade-schema.ts";
import type { UpgradeSite } from "./upgrade-site.ts";
import { standingLines } from "./upgrade-status.ts";

/** Where the state of an upgrade is read, and where it is reported. */
export interface UpgradeOutput {
  readonly io: Io;
  readonly site: Pick<UpgradeSite, "look" | "refusalOf">;
  readonly json: boolean;
}

/** Reports the state of a group's upgrade once. */
export async function tellUpgrade(
  group: string,
  { io, site, json }: UpgradeOutput,
): Promise<ExitCode> {
  const report = await site.look(group);
  if (json) printJson(io.stdout, report);
  else writeLines(upgradeLines(report), io);
  return exitCodes.done;
}

const between = seconds(5);

/** Reports the state of an upgrade repeatedly until it has ended or the user interrupts. Returns whether it was done. */
export async function followUpgrade(
  group: string,
  id: string,
  telling: UpgradeOutput,
  wanted = wantedOutcomes,
): Promise<ExitCode> {
  const { io, site } = telling;
  const tell = telling.json ? tellChanges(io) : tellPeople(id, io);
  while (!io.interrupted.aborted) {
    const report = await site.look(group);
    tell(report);
    if (report.id !== id) await assertNotRefused(report, id, site);
    if (isOver(report, id)) return codeOf(report, wanted);
    await pause(between, io.interrupted);
  }
  new Screen(io).complain(`no longer followed; upgrade ${id} of ${group} goes on by itself`);
  return exitCodes.notDone;
}

const codeOf = ({ last }: UpgradeReport, wanted: readonly string[]): ExitCode =>
  wanted.includes(last?.outcome ?? "") ? exitCodes.done : exitCodes.notDone;

/** The nodes are also all new if somebody else has scaled the group meanwhile. */
const wantedOutcomes: readonly string[] = ["done", "scaled-elsewhere"];

/**
 * Fails if the function has refused to begin. The log has the full reason; if it cannot be read, or has no entry yet, the
 * tag has a short one.
 */
async function assertNotRefused(
  { last }: UpgradeReport,
  id: string,
  site: UpgradeOutput["site"],
): Promise<void> {
  if (last?.id === id && last.outcome !== "refused") return;
  const inTags = last?.id === id ? [last.issue] : [];
  const logged = await site.refusalOf(id);
  const reasons = logged.length > 0 ? logged : inTags;
  if (reasons.length > 0) throw new CommandFailure(reasons.join("; "), nothingChanged);
}

const nothingChanged = "nothing was changed; docs/upgrade.md says what each error means";

/** Writes a report for programs if anything but times has changed. */
function tellChanges({ stdout }: Io): (report: UpgradeReport) => void {
  let written = "";
  return (report) => {
    const text = JSON.stringify(report, (key, value) => (ofTime.has(key) ? "" : value));
    if (text !== written) printJson(stdout, report);
    written = text;
  };
}

const ofTime = new Set(["at", "deletedInSeconds", "left", "reason", "secondsLeft", "seen"]);

/** Writes the progress of an upgrade for people: a terminal is redrawn; elsewhere only changes are written. */
export function tellPeople(id: string, io: Io): (report: UpgradeReport) => void {
  const screen = new Screen(io);
  const tell = lineTeller(screen, io);
  return (report) => {
    if (!isOver(report, id)) return tell(report.at, linesOf(report, id));
    screen.show([]);
    writeLines(upgradeLines(report), io);
  };
}

/** True if an upgrade has ended: the group's tags say so, and belong to no other upgrade. */
const isOver = ({ last, id: current }: UpgradeReport, id: string): boolean =>
  last?.id === id && current !== id;

const linesOf = (report: UpgradeReport, id: string): readonly Line[] =>
  report.id === id
    ? upgradeLines(report)
    : [line("faint", 0, `${report.group}: upgrade ${id} waits for the function`)];

/** The state of a group's upgrade for people, one fact on each line. */
function upgradeLines(report: UpgradeReport): readonly Line[] {
  switch (report.state) {
    case "none":
      return [idle(report)];
    case "waiting":
      return waiting(report);
    default:
      return underWay(report);
  }
}

function waiting(report: UpgradeReport): readonly Line[] {
  const { at, group, id, issue, opens } = report;
  const [tone, why] =
    at < opens
      ? (["plain", `waits for its maintenance window, which opens at ${opens}`] as const)
      : (["bad", `has not begun since ${opens}: ${issue}`] as const);
  return [
    line(tone, 0, `${group}: upgrade ${id} has changed nothing yet, and ${why}`),
    ...standingLines(report),
  ];
}

/** The end of the last upgrade of a group, or that there was none. */
function idle({ group, last }: UpgradeReport): Line {
  if (last === null) return line("plain", 0, `${group}: no upgrade is under way`);
  const { id, outcome, at, issue } = last;
  const [tone, words] = outcomes[outcome] ?? (["careful", outcome] as const);
  const why = issue === "" ? "" : `: ${issue}`;
  return line(tone, 0, `${group}: upgrade ${id} ${words} at ${inSeconds(at)}${why}`);
}

const outcomes: Readonly<Partial<Record<string, readonly [Tone, string]>>> = {
  done: ["good", "was done"],
  aborted: ["careful", "was aborted, and what it had changed put back,"],
  failed: ["bad", "failed"],
  refused: ["bad", "was refused, and changed nothing,"],
  "rolled-back": ["careful", "was rolled back to its old nodes"],
  "set-aside": ["careful", "replaced all nodes but those that it has set aside,"],
  "scaled-elsewhere": [
    "careful",
    "replaced all nodes, and left the sizes because something else had scaled the group,",
  ],
};

function underWay(report: UpgradeReport): readonly Line[] {
  const { group, id, state, phase, issue } = report;
  if (state === "unreadable")
    return [
      line("bad", 0, `${group}: the tags of its upgrade cannot be read: ${issue}`),
      line(
        "bad",
        1,
        "correct the tag, or remove all tags eks-node-lifecycle/upgrade… to forget it",
      ),
    ];
  return [
    line(
      state === "failing" ? "bad" : "change",
      0,
      `${group}: upgrade ${id} is ${state}, phase ${phase}`,
    ),
    line("plain", 1, progress(report), `${report.replaced} of ${report.total}`),
    ...(issue === "" ? [] : [line("bad", 1, issue)]),
    ...(report.opens === ""
      ? []
      : [line("careful", 1, `its maintenance window is closed until ${report.opens}`)]),
    ...(report.soaksUntil === ""
      ? []
      : [
          line(
            "plain",
            1,
            `watches its new nodes until ${report.soaksUntil}, before the next batch`,
          ),
        ]),
    ...(report.keptUntil === "" ? [] : [line("careful", 1, keptLine(report))]),
    ...standingLines(report),
    line("faint", 1, aims(report)),
    ...report.nodes.flatMap(nodeLines),
  ];
}

const keptLine = ({ group, cluster, keptUntil }: UpgradeReport): string =>
  `keeps its old nodes until ${keptUntil}: until then \`upgrade rollback ${shellWord(group)} --cluster ${cluster}\` goes back to them`;

const barWidth = 20;

function progress({ replaced, total, secondsLeft }: UpgradeReport): string {
  const share = total === 0 ? 1 : replaced / total;
  const filled = Math.round(share * barWidth);
  const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`;
  const left = secondsLeft === null ? "" : `, about ${spoken(seconds(secondsLeft))} left`;
  return `${bar} ${replaced} of ${total} old nodes replaced${left}`;
}

function aims({ to, sizes, sizesBefore, cordon }: UpgradeReport): string {
  const by = to === null ? "" : `to ${to.template} version ${to.version}; `;
  const before = sizesBefore === null ? "" : `, before ${sized(sizesBefore)}`;
  const each = cordon === "one-by-one" ? "; each old node is cordoned right before its drain" : "";
  return `${by}sizes ${sized(sizes)}${before}${each}`;
}

const sized = ({ min, max, desired }: UpgradeReport["sizes"]): string => `${min}/${desired}/${max}`;

const states: Readonly<Partial<Record<UpgradedNode["state"], readonly [Tone, string]>>> = {
  joining: ["plain", "is launched, and has no node yet"],
  new: ["plain", "is new, and not validated yet"],
  draining: ["change", "is drained"],
  drained: ["good", "is drained, and about to be terminated"],
  kept: ["good", "is kept, cordoned and empty"],
  ending: ["faint", "ends"],
  blocked: ["bad", "was not drained in time"],
  "set-aside": ["bad", "is set aside, cordoned"],
};

/** The current state of a node; nothing for a node that waits or is done. */
function nodeLines({ instance, node, zone, state, why, pods }: UpgradedNode): readonly Line[] {
  const [tone, words] = states[state] ?? ["plain", ""];
  if (words === "") return [];
  const isLeft = state === "blocked" || state === "set-aside";
  const reason = isLeft && why !== "" ? `: ${why}` : "";
  return [
    line(tone, 1, `${node || instance} (${zone}) ${words}${reason}`),
    ...pods.map((one) => line("careful", 2, `${one.pod}: ${one.reason}`, newsOf(one))),
  ];
}
