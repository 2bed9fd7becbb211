import * as z from "zod/mini";
import { taintKey } from "../lambda/domain/labels.ts";
import { type Rights, rightsFor } from "../lambda/domain/rights.ts";
import { oneOf, record, text } from "../lambda/field-schema.ts";
import { read, readJson } from "../lambda/read-schema.ts";

const taint = text(
  "a taint such as example.com/draining=true:NoSchedule",
  new RegExp(`^${taintKey}(?:=[^:]*)?:\\w+$`),
);

const fileSchema = record({
  drain: z.optional(
    record({ force: z.optional(oneOf("at-deadline", "never")), taint: z.optional(taint) }),
  ),
});

/** Reads of a cluster's file which rights the function is to have there. */
export function readRightsChoice(json: string, path: string): Rights {
  const { drain = {} } = read(fileSchema, readJson(json, path), path);
  const [ownTaint = ""] = drain.taint?.split(/[=:]/, 1) ?? [];
  return rightsFor(drain.force ?? "at-deadline", ownTaint);
}
