import { arnOf, readable } from "./corpus.ts";
import { type Draw, onceIn, oneOf, several } from "./draw.ts";
import { anyNode, blank, indented } from "./nasty-nodes.ts";
import { keys, scraps } from "./nasty-words.ts";
import { unreadable } from "./unreadable.ts";

/** A text of `mapRoles` that YAML readers may well read differently, and that may well be no YAML at all. */
export function nastyAwsAuth(draw: Draw): string {
  let text = base(draw);
  for (let left = oneOf(draw, [0, 0, 0, 0, 0, 1, 1, 2, 3]); left > 0; left -= 1)
    text = mutated(draw, text);
  // UTF-8 has no half of a surrogate pair.
  return (onceIn(draw, 12) ? text.replaceAll("\n", "\r\n") : text).toWellFormed();
}

const small: readonly string[] = [
  ...readable.map(({ mapRoles }) => mapRoles),
  ...unreadable.map(([, mapRoles]) => mapRoles),
].filter((text) => text.length < 2000);

function base(draw: Draw): string {
  const kind = draw(10);
  if (kind === 0) return anyNode(draw, 3);
  if (kind < 3) return oneOf(draw, small);
  const other = () => `-${blank(draw)}${indented(anyNode(draw, 2), 2)}`;
  const items = [entry(draw), ...several(draw, 2, () => entry(draw)), ...several(draw, 1, other)];
  const heads = ["", "", "", "", "---\n", "--- ", "# a\n", "\n", "&a\n", "%YAML 1.1\n---\n"];
  const feet = ["\n", "\n", "\n", "", "\n\n", "\n...\n", "\n---\n- b\n", "\n# a", "\n  "];
  return oneOf(draw, heads) + shuffled(draw, items).join("\n") + oneOf(draw, feet);
}

/** An entry like a real one, except for some of its fields. */
function entry(draw: Draw): string {
  const any = (depth: number) => blank(draw) + indented(anyNode(draw, depth), 2);
  const fields = [
    `rolearn: ${arnOf(oneOf(draw, ["node", "Node", "dev", "admin"]))}`,
    `username:${onceIn(draw, 3) ? any(1) : " system:node:{{EC2PrivateDNSName}}"}`,
    `groups:${onceIn(draw, 2) ? any(2) : "\n    - system:nodes\n    - system:bootstrappers"}`,
    ...several(draw, 1, () => `${oneOf(draw, keys)}:${any(2)}`),
  ];
  const dash = oneOf(draw, ["- ", "- ", "- ", "- &a ", "- &b\n  ", "-\n  "]);
  return dash + shuffled(draw, fields).join("\n  ");
}

const shuffled = <T>(draw: Draw, items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, at: draw(1000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

// Where something begins or ends that means something to a reader of YAML.
const edges = /(?<=[-:?,[\]{}#'"\n|>&*!])|(?=[-:?,[\]{}#'"\n|>&*!])/g;

function anyPlace(draw: Draw, text: string): number {
  const found = onceIn(draw, 2) ? [] : [...text.matchAll(edges)];
  return found.length === 0 ? draw(text.length + 1) : oneOf(draw, found).index;
}

function mutated(draw: Draw, text: string): string {
  const at = anyPlace(draw, text);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const rest = after.slice(onceIn(draw, 3) ? draw(10) : 1);
  switch (draw(7)) {
    case 0:
      return before + rest;
    case 1:
      return before + oneOf(draw, scraps) + rest;
    case 2:
      return before + text.slice(anyPlace(draw, text)).slice(0, draw(20)) + after;
    case 3:
      return before + after.replace(" ", "\t");
    case 4:
      return onceIn(draw, 4) ? before : before + after;
    default:
      return before + oneOf(draw, scraps) + after;
  }
}
