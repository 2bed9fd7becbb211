import { readFileSync } from "node:fs";
import * as z from "zod";
import type { CapturedIo } from "./captured-io.ts";

const documented = JSON.parse(readFileSync("docs/output.schema.json", "utf8"));
const schema = z.fromJSONSchema(documented as z.core.JSONSchema.JSONSchema);

/** What a command wrote for programs; throws unless every line is an object of the documented form. */
export function jsonLines({ out }: Pick<CapturedIo, "out">): readonly Record<string, unknown>[] {
  const written: readonly unknown[] = out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const one of written) schema.parse(one);
  return written as readonly Record<string, unknown>[];
}
