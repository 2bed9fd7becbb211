import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { killedShare, type Reason, type Row, reasonOf, type Survivor } from "./rows.ts";

/** Why some survivors may live. */
export const reasons = JSON.parse(
  readFileSync(join(import.meta.dirname, "reasons.json"), "utf8"),
) as readonly Reason[];

/** Reads the option `--sample`. */
export function share(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError("expected a share such as 0.1");
}

/** Prints a survivor, with its reason if it has one. */
export function tellSurvivor(place: string, survivor: Omit<Survivor, "line">): void {
  const reason = reasonOf(survivor, reasons);
  const end = reason === undefined ? "" : `\n    ${reason}`;
  process.stdout.write(`${place}\n    ${survivor.was}\n    → ${survivor.becomes}${end}\n`);
}

/** Prints the figures of a run. */
export function tellRow(row: Row): void {
  const { room, share: sample, tried, killed, explained } = row;
  const percent = (100 * killedShare(row)).toFixed(1);
  process.stdout.write(
    `${room}: ${tried} changes tried, a share of ${sample}; ${killed} killed, ${explained} live for a reason: ${percent} % of the others killed\n`,
  );
}
