import * as shape from "../../lambda/launch/aws-auth/shape.ts";
import { mappingJson, mappingLines } from "../../lambda/launch/aws-auth/text.ts";
import type { RoleMapping } from "../../lambda/launch/node-mapping.ts";

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

/** All that the fence around `aws-auth` lets the function write instead of a text; a test compares it with the fence itself. */
export function fenceModel(
  before: string,
  allowed: readonly RoleMapping[],
): (now: string) => boolean {
  const mappings = allowed.filter(({ role }) => !is(shape.naming(role), before.toLowerCase()));
  const texts = mappings.flatMap((mapping) => textsWith(mapping, before));
  const all = new Set([before, ...texts.filter(({ length }) => length > before.length)]);
  return (now) => all.has(now);
}

function textsWith(mapping: RoleMapping, before: string): readonly string[] {
  const form = formOf(before);
  if (form === "none") return [];
  if (form === "json") {
    const head = before.replace(/[ \t\r\n]*\][ \r\n]*$/, "");
    return [`${head}, ${mappingJson(mapping)}${before.slice(head.length)}`];
  }
  const head = form === "nothing" ? "" : before;
  return ["\n", "\r\n"].map((ending) => {
    const lines = [...mappingLines(mapping, indentOf(head)), ""].join(ending);
    const isEnded = head === "" || head.endsWith("\n");
    return head + (isEnded ? "" : (/\r\n/.exec(head + lines)?.[0] ?? "\n")) + lines;
  });
}
