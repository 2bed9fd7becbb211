import type { Report } from "./report-schema.ts";

/** A change that no test has seen. */
export interface Survivor {
  /** The file, from the root of the project. */
  readonly file: string;
  readonly line: number;
  /** The text of the lines that the change is in, and that of the change. */
  readonly was: string;
  readonly becomes: string;
}

/** Why a survivor may live. It is found by its file, its line's text and its change, and so outlives a move. */
export interface Reason extends Pick<Survivor, "file" | "was" | "becomes"> {
  readonly reason: string;
}

/** What a run of a room's mutants has come to. */
export interface Row {
  readonly room: string;
  /** The share of all mutants that was tried, from 0 to 1. */
  readonly share: number;
  readonly tried: number;
  /** Those that a test failed for, or ran out of time. */
  readonly killed: number;
  /** Those that live for a reason. */
  readonly explained: number;
}

const killing = ["Killed", "Timeout", "RuntimeError"];
const living = ["Survived", "NoCoverage"];

const everyMutant = ({ files }: Report) =>
  Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, source })),
  );

/** The changes that no test has seen, by file and line. */
export function survivorsOf(report: Report): readonly Survivor[] {
  return everyMutant(report)
    .filter(({ status }) => living.includes(status))
    .map(({ file, source, location: { start, end }, replacement = "" }) => ({
      file,
      line: start.line,
      was: source
        .split("\n")
        .slice(start.line - 1, end.line)
        .map((line) => line.trim())
        .join(" "),
      becomes: replacement.replaceAll(/\s+/gu, " "),
    }))
    .toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line);
}

/** The reason of a survivor, if it has one. */
export const reasonOf = (
  { file, was, becomes }: Omit<Survivor, "line">,
  reasons: readonly Reason[],
): string | undefined =>
  reasons.find((one) => one.file === file && one.was === was && one.becomes === becomes)?.reason;

/** The figures of a run. */
export function rowOf(
  room: string,
  share: number,
  report: Report,
  reasons: readonly Reason[],
): Row {
  const states = everyMutant(report).map(({ status }) => status);
  const survivors = survivorsOf(report);
  const killed = states.filter((state) => killing.includes(state)).length;
  const explained = survivors.filter((one) => reasonOf(one, reasons) !== undefined).length;
  return { room, share, tried: killed + survivors.length, killed, explained };
}

/** The part of the mutants that tests have killed, of those that no reason excuses; from 0 to 1. */
export const killedShare = ({ tried, killed, explained }: Row): number =>
  tried === explained ? 1 : killed / (tried - explained);
