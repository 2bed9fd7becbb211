import { labelName, taintKey } from "../base/labels.ts";
import type { Requirement, Selector } from "../drain/budget.ts";
import { type TextReader, textReader } from "./text-reader.ts";

const value = `(?:${labelName})?`;
const term = new RegExp(
  `^(?:!\\s*(?<absent>${taintKey})|(?<key>${taintKey})(?:\\s*(?<sign>==?|!=)\\s*(?<value>${value})|\\s+(?<word>in|notin)\\s*\\((?<values>[^()]*)\\))?)$`,
);
const setValue = new RegExp(`^${labelName}$`);
// A comma within brackets parts the values of a set.
const parting = /,(?![^(]*\))/;

/**
 * Reads a label selector as kubectl reads it; an empty text selects all. A refusal names `example`.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#list-and-watch-filtering
 */
export const selectorLike = (example: string): TextReader<Selector> =>
  textReader(`empty, or a label selector such as ${example}`, (text) => {
    const requirements = tryRequirements(text);
    return requirements === undefined ? undefined : { kind: "labels", requirements };
  });

function tryRequirements(text: string): readonly Requirement[] | undefined {
  if (text.trim() === "") return [];
  const read = text.split(parting).map((part) => tryRequirement(part.trim()));
  const known = read.filter((requirement) => requirement !== undefined);
  return known.length === read.length ? known : undefined;
}

function tryRequirement(text: string): Requirement | undefined {
  const { groups } = term.exec(text) ?? {};
  if (groups === undefined) return undefined;
  const { absent, key = "", sign, word, value: one = "", values } = groups;
  const relation = sign ?? word;
  if (absent !== undefined) return { key: absent, operator: "DoesNotExist", values: [] };
  if (relation === undefined) return { key, operator: "Exists", values: [] };
  const operator = ["!=", "notin"].includes(relation) ? "NotIn" : "In";
  if (values === undefined) return { key, operator, values: [one] };
  const all = values.split(",").map((each) => each.trim());
  return all.every((each) => setValue.test(each)) ? { key, operator, values: all } : undefined;
}
