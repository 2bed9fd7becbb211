import { isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLSeq } from "yaml";
import type { RoleMapping } from "../launch/node-mapping.ts";
import { named } from "./entry.ts";
import type { AwsAuth, ListedEntry } from "./reading.ts";
import { insertLines, lineStart, nextLine, type Splice } from "./splice.ts";
import { groupLine, mappingInBrackets, mappingLines } from "./text.ts";

/** The ways to add a mapping to `mapRoles`, the most readable first. */
export function additions(
  text: string,
  { form }: AwsAuth,
  mapping: RoleMapping,
): readonly Splice[] {
  switch (form.kind) {
    case "nothing":
      return [insertLines(text, afterLastLine(text, form.from), mappingLines(mapping, ""))];
    case "empty": {
      const [at, end] = form.node.range;
      return [{ at, remove: end - at, insert: `[${mappingInBrackets(mapping)}]` }];
    }
    case "list":
      return form.list.flow === true
        ? [inBrackets(form.list, [mappingInBrackets(mapping)])]
        : linesOfList(text, form.list, mapping);
  }
}

/** The ways to add groups to an entry in its place; none when the entry itself contains no list of groups. */
export function groupAdditions(
  text: string,
  { form }: AwsAuth,
  { entry, groups }: { readonly entry: ListedEntry; readonly groups: readonly string[] },
): readonly Splice[] {
  const list = form.kind === "list" ? tryGroupsOf(form.list.items[entry.index]) : undefined;
  if (list === undefined) return [];
  if (list.flow === true)
    return [
      inBrackets(
        list,
        groups.map((group) => JSON.stringify(group)),
      ),
    ];
  const indent = indentOf(text, list);
  const lines = groups.map((group) => groupLine(group, indent));
  return [insertLines(text, afterItems(text, list), lines)];
}

/** After the list and its comments; after all blank lines, in case those belong to something; before the list. */
function linesOfList(text: string, list: YAMLSeq.Parsed, mapping: RoleMapping): readonly Splice[] {
  const lines = mappingLines(mapping, indentOf(text, list));
  const end = list.range[1];
  return [afterLastLine(text, end), blankUntil(text, end), lineStart(text, dashOf(list))].map(
    (at) => insertLines(text, at, lines),
  );
}

function inBrackets({ items, range }: YAMLSeq.Parsed, added: readonly string[]): Splice {
  const last = items.at(-1);
  return last === undefined
    ? { at: range[0] + 1, remove: 0, insert: added.join(", ") }
    : { at: last.range[1], remove: 0, insert: added.map((one) => `, ${one}`).join("") };
}

function tryGroupsOf(item: ParsedNode | undefined): YAMLSeq.Parsed | undefined {
  if (!isMap(item)) return undefined;
  const pairs: readonly Pair<unknown, unknown>[] = item.items;
  const lists = pairs.filter(({ key }) => isScalar(key) && named.groups.test(String(key.value)));
  const [value] = lists.map((pair) => pair.value);
  return lists.length === 1 && isParsedSeq(value) ? value : undefined;
}

const isParsedSeq = (node: unknown): node is YAMLSeq.Parsed => isSeq(node) && node.range != null;

/** Where the first item's dash is. */
function dashOf({ srcToken, range }: YAMLSeq.Parsed): number {
  if (srcToken?.type !== "block-seq") return range[0];
  const dash = srcToken.items[0]?.start.find(({ type }) => type === "seq-item-ind");
  return dash?.offset ?? range[0];
}

const indentOf = (text: string, list: YAMLSeq.Parsed): string => {
  const dash = dashOf(list);
  return " ".repeat(dash - lineStart(text, dash));
};

function afterItems(text: string, { items, range }: YAMLSeq.Parsed): number {
  const end = items.at(-1)?.range[1] ?? range[1];
  return end === lineStart(text, end) ? end : nextLine(text, end);
}

const blankLine = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;

/** Where the comments and blank lines after a place end. */
function blankUntil(text: string, from: number): number {
  for (let at = from; ; at = blankLine.lastIndex) {
    blankLine.lastIndex = at;
    if (at === text.length || !blankLine.test(text)) return at;
  }
}

/** The start of the line after a place and the comments that follow it; blank lines at their end do not count. */
const afterLastLine = (text: string, from: number): number =>
  nextLine(text, text.slice(0, blankUntil(text, from)).trimEnd().length);
