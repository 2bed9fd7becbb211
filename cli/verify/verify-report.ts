import type { Tone } from "../../journal/line.ts";
import type { PageStory } from "../../journal/page/page.ts";
import type { TimelineRow } from "../../journal/timeline.ts";
import { productVersion } from "../../lambda/base/contract.ts";
import { counted } from "../../lambda/base/counted.ts";
import { type Instant, later, never, seconds, timestamp } from "../../lambda/base/time.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { PromiseFound, Verified } from "../json/verify-schema.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { TrialResult } from "./course.ts";
import { promisesOf, type Trial } from "./promises.ts";

/** The result of a trial. */
export type TrialVerdict = Omit<Verified, "exitCode" | "kind"> & { readonly exitCode: ExitCode };

/** Judges the observations of a trial, and what is left of it. */
export function verdictOf(
  { trial, left }: TrialResult,
  { cluster, group }: Pick<Verified, "cluster" | "group">,
): TrialVerdict {
  const promises = promisesOf(trial);
  const count = (state: PromiseFound["state"]) =>
    promises.filter((one) => one.state === state).length;
  const [broken, unseen] = [count("broken"), count("unseen")];
  const counts = [
    `${counted(count("kept"), "promise")} kept`,
    ...(broken > 0 ? [`${broken} broken`] : []),
    ...(unseen > 0 ? [`${unseen} not seen`] : []),
    ...(left.length > 0 ? ["not all of the trial could be removed"] : []),
  ];
  return {
    cluster,
    group,
    left,
    promises,
    verifier: productVersion,
    instance: trial.instance ?? "",
    node: trial.node ?? "",
    from: timestamp(trial.raised),
    to: timestamp(endOf(trial)),
    exitCode: counts.length > 1 ? exitCodes.notDone : exitCodes.done,
    line: `${cluster}, group ${group}: ${counts.join(", ")}`,
  };
}

const endOf = ({ sights, raised }: Trial): Instant => sights.at(-1)?.at ?? raised;

const tones: Readonly<Record<PromiseFound["state"], Tone>> = {
  kept: "good",
  broken: "bad",
  unseen: "careful",
  "left out": "faint",
};

/** The result for people: a line for each promise, and what is left. */
export const verdictLines = ({
  promises,
  left,
  line: summary,
  exitCode,
}: TrialVerdict): readonly Line[] => [
  ...promises.map(({ promise, state, seconds: took, found }) => {
    const time = took === null ? "" : ` (${took.toFixed(1)} s)`;
    return line(tones[state], 0, `${state.padEnd(8)}  ${promise}: ${found}${time}`);
  }),
  ...left.map((one) => line("bad", 0, `left: ${one}`)),
  line(exitCode === exitCodes.done ? "good" : "bad", 0, summary),
];

/** The page about a trial, with a row for each promise. */
export function verdictPage(trial: Trial, verdict: TrialVerdict): PageStory {
  const { group, instance, node, exitCode, line: words, verifier } = verdict;
  const [from, to] = [trial.raised, endOf(trial)];
  const rows = verdict.promises.map((one) => rowOf(one, trial));
  const state = exitCode === exitCodes.done ? "done" : "not done";
  return {
    title: words,
    source: `Seen from outside by version ${verifier}, from ${verdict.from} to ${verdict.to}.`,
    drains: [{ instance, node, group, words, from, to, deadline: never, state, rows }],
  };
}

function rowOf(
  { promise, state, seconds: took, found: reason }: PromiseFound,
  { raised, ended = raised }: Trial,
): TimelineRow {
  const from = promise === "launch hook" || promise === "registration" ? raised : ended;
  const to = later(from, seconds(took ?? 0));
  return {
    kind: "waits",
    label: promise,
    note: `${state}: ${reason}`,
    state: state === "kept" ? "done" : "open",
    spans: took === null ? [] : [{ kind: "awaited", from, to, reason }],
    marks: state === "broken" ? [{ kind: "fault", at: to, reason }] : [],
  };
}
