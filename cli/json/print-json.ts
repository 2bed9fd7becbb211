import type { Happening } from "../../journal/happening.ts";
import { between, type Instant, timestamp } from "../../lambda/base/time.ts";
import type { Output } from "../terminal/output.ts";
import { outputVersion } from "./form-schema.ts";
import type { OutputBody } from "./output-schema.ts";

/** Writes an object for programs as one line, with the version. */
export function printJson(output: Output, body: OutputBody): void {
  output.writeLine(JSON.stringify({ version: outputVersion, ...body }));
}

type DatedBody = Pick<Happening, "at" | "kind"> & {
  readonly source: Happening["source"] | "drain";
};

/** Writes an entry with the seconds since the beginning. */
export function printHappening(output: Output, { at, ...body }: DatedBody, from: Instant): void {
  printJson(output, { elapsed: between(from, at) / 1000, at: timestamp(at), ...body });
}

/** Moves `--json` behind the command that it belongs to. Alone it has no effect. */
export function jsonLast(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => word !== "--json");
  return wantsJson(argv) && words.length > 0 ? [...words, "--json"] : words;
}

export const wantsJson = (argv: readonly string[]): boolean => argv.includes("--json");
