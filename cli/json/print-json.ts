import type { Output } from "../io.ts";
import { type OutputBody, outputVersion } from "./output-schema.ts";

/** Writes one object for programs on a line of its own, with the version of its form. */
export function printJson(output: Output, body: OutputBody): void {
  output.write(`${JSON.stringify({ version: outputVersion, ...body })}\n`);
}

/** The arguments with `--json` behind the command that it belongs to; alone it asks for nothing. */
export function jsonLast(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => word !== "--json");
  return wantsJson(argv) && words.length > 0 ? [...words, "--json"] : words;
}

/** Whether a program reads the output. */
export const wantsJson = (argv: readonly string[]): boolean => argv.includes("--json");
