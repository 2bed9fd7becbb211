import * as shape from "../../lambda/domain/aws-auth/shape.ts";
import { mappingJson, mappingLines } from "../../lambda/domain/aws-auth/text.ts";
import type { RoleMapping } from "../../lambda/domain/launch/node-mapping.ts";

const is = (form: string, text: string): boolean => new RegExp(form).test(text);

function formOf(before: string): "json" | "lines" | "none" | "nothing" {
  if (is(shape.strange, before)) return "none";
  if (is(shape.nothing, before)) return "nothing";
  if (is(shape.json, before)) return "json";
  const indent = indentOf(before).length;
  const isEnded = indent > 0 && is(`\n {0,${indent - 1}}[^ #\\r\\n]`, `\n${before}`);
  const isLines = is(`^(?:${shape.line}\\r?\\n)*$`, `${before}\n`);
  return is(shape.start, before) && isLines && !isEnded ? "lines" : "none";
}

const indentOf = (before: string): string => {
  const [first = ""] = new RegExp(shape.start).exec(before) ?? [];
  return /( *)-?$/.exec(first)?.[1] ?? "";
};

/** What stays before and after an entry, and what may be the entry. */
function placeIn(before: string, now: string) {
  const form = formOf(before);
  if (form === "none") return undefined;
  if (form === "nothing") return { head: "", end: "", indent: "", form };
  const [end = ""] = form === "json" ? (/[ \t\r\n]*\][ \r\n]*$/.exec(before) ?? []) : [];
  const ending = now.includes("\r\n") ? "\r\n" : "\n";
  const isOpen = form === "lines" && !before.endsWith("\n");
  const head = before.slice(0, before.length - end.length) + (isOpen ? ending : "");
  return { head, end, indent: indentOf(before), form };
}

/** Judges changes of one text as the fence around `aws-auth` does; a test compares it with the fence itself. */
export function fenceModel(before: string, allowed: readonly RoleMapping[]) {
  const mappings = allowed.filter(({ role }) => !is(shape.naming(role), before.toLowerCase()));
  const places = ["", "\r\n"].map((now) => placeIn(before, now));
  const shapes = (indent: string) =>
    mappings.flatMap((mapping) => [
      `, ${mappingJson(mapping)}`,
      `${mappingLines(mapping, indent).join("\n")}\n`,
    ]);
  return (now: string): boolean => {
    const found = places[now.includes("\r\n") ? 1 : 0];
    if (found === undefined || now.length <= before.length) return now === before;
    const { form, indent } = found;
    const added = addedTo(found, now);
    return added.startsWith(",") === (form === "json") && shapes(indent).includes(added);
  };
}

function addedTo({ head, end }: { readonly head: string; readonly end: string }, now: string) {
  if (!now.startsWith(head) || !now.endsWith(end)) return "";
  return now.slice(head.length, now.length - end.length).replaceAll("\r\n", "\n");
}
