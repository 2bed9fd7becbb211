import type { Happening } from "../../journal/happening.ts";
import { between, type Instant, timestamp } from "../../lambda/base/time.ts";
import type { Output } from "../terminal/output.ts";
import { type OutputBody, outputVersion } from "./output-schema.ts";

/** Writes one object for programs on a line of its own, with the version of its form. */
export function printJson(output: Output, body: OutputBody): void {
  output.writeLine(JSON.stringify({ version: outputVersion, ...body }));
}

/** Something that happened, whoever tells it. */
type DatedBody = Pick<Happening, "at" | "kind"> & {
  readonly source: Happening["source"] | "drain";
};

/** Writes something that happened, with the seconds since a beginning. */
export function printHappening(output: Output, { at, ...body }: DatedBody, from: Instant): void {
  printJson(output, { elapsed: between(from, at) / 1000, at: timestamp(at), ...body });
}

/** The arguments with `--json` behind the command that it belongs to; alone it asks for nothing. */
export function jsonLast(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => word !== "--json");
  return wantsJson(argv) && words.length > 0 ? [...words, "--json"] : words;
}

/** Whether a program reads the output. */
export const wantsJson = (argv: readonly string[]): boolean => argv.includes("--json");
