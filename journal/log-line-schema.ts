import * as z from "zod/mini";
import { tryInstantOf } from "../lambda/base/time.ts";
import { tryJson } from "../lambda/base/try-json.ts";
import { tryReadEntry } from "./entry-schema.ts";
import type { Happening } from "./happening.ts";
import { worldForms } from "./world-schema.ts";

const wrapper = z.object({ message: z.unknown() });
const worldEntry = z.discriminatedUnion("kind", worldForms);
const worldSource = z.object({ source: z.literal("world"), at: z.string() });

/**
 * Reads a line of a log, even if CloudWatch, the AWS CLI or an export of the console has put something around the entry.
 * `undefined` if it contains no entry.
 */
export function tryReadLogLine(line: string): Happening | undefined {
  const body = line.slice(line.indexOf("{"), line.lastIndexOf("}") + 1);
  const member = `{${line.trim().replace(/,$/, "")}}`;
  const texts = [body, body.replaceAll('""', '"'), messageIn(body), messageIn(member)];
  for (const text of texts) {
    const happening = text === "" ? undefined : tryHappening(text);
    if (happening !== undefined) return happening;
  }
  return undefined;
}

function tryHappening(text: string): Happening | undefined {
  const entry = tryReadEntry(text);
  return entry === undefined ? tryWorldEntry(text) : { ...entry, source: "function" };
}

/** Reads an entry of the sandbox from a replay with `--json`. */
function tryWorldEntry(text: string): Happening | undefined {
  const value = tryJson(text);
  const entry = z.safeParse(worldEntry, value).data;
  const at = tryInstantOf(z.safeParse(worldSource, value).data?.at ?? "");
  return entry === undefined || at === undefined ? undefined : { ...entry, at, source: "world" };
}

/** The text that a logger has wrapped into an object; empty if there is none. */
function messageIn(text: string): string {
  const message = z.safeParse(wrapper, tryJson(text)).data?.message;
  return typeof message === "string" ? message : JSON.stringify(message ?? "");
}
