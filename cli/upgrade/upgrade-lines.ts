import type { Tone } from "../../journal/tone.ts";
import { seconds, spoken } from "../../lambda/base/time.ts";
import { standingLines } from "../status/status-lines.ts";
import { inSeconds, type Line, line } from "../terminal/lines.ts";
import type { UpgradedNode, UpgradeReport } from "./upgrade-schema.ts";

/** Tells people where the upgrade of a group stands, one fact on each line. */
export function upgradeLines(report: UpgradeReport): readonly Line[] {
  switch (report.state) {
    case "none":
      return [idle(report)];
    case "waiting":
      return waiting(report);
    default:
      return underWay(report);
  }
}

const waiting = (report: UpgradeReport): readonly Line[] => [
  line(
    "plain",
    0,
    `${report.group}: upgrade ${report.id} has changed nothing yet, and waits for its maintenance window, which opens at ${report.opens}`,
  ),
  ...standingLines(report),
];

/** Says how the last upgrade of a group has ended, or that there is none. */
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
    line("plain", 1, progress(report)),
    ...(issue === "" ? [] : [line("bad", 1, issue)]),
    ...(report.opens === ""
      ? []
      : [line("careful", 1, `its maintenance window is closed until ${report.opens}`)]),
    ...standingLines(report),
    line("faint", 1, aims(report)),
    ...report.nodes.flatMap(nodeLines),
  ];
}

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
  const each = cordon === "one-by-one" ? "; each old node is cordoned in its turn" : "";
  return `${by}sizes ${sized(sizes)}${before}${each}`;
}

const sized = ({ min, max, desired }: UpgradeReport["sizes"]): string => `${min}/${desired}/${max}`;

const told: Readonly<Partial<Record<UpgradedNode["state"], readonly [Tone, string]>>> = {
  joining: ["plain", "is launched, and has no node yet"],
  new: ["plain", "is new, and not validated yet"],
  draining: ["change", "is drained"],
  drained: ["good", "is drained, and about to be terminated"],
  ending: ["faint", "ends"],
  blocked: ["bad", "was not drained in time"],
};

/** What happens to a node now; of one that waits for its turn, or is done with, nothing is said. */
function nodeLines({ instance, node, zone, state, why, left }: UpgradedNode): readonly Line[] {
  const [tone, words] = told[state] ?? ["plain", ""];
  if (words === "") return [];
  const reason = state === "blocked" && why !== "" ? `: ${why}` : "";
  return [
    line(tone, 1, `${node || instance} (${zone}) ${words}${reason}`),
    ...left.map((pod) => line("careful", 2, pod)),
  ];
}
