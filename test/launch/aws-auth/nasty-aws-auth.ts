import { arnOf, corpus } from "./corpus.ts";
import { type Draw, onceIn, oneOf, several } from "./draw.ts";
import { keys, scraps, values } from "./nasty-words.ts";

/** A text of `mapRoles` that YAML readers may well read differently, and that may well be no YAML at all. */
export function nastyAwsAuth(draw: Draw): string {
  let text = base(draw);
  for (let left = oneOf(draw, [0, 0, 0, 1, 1, 1, 2, 3]); left > 0; left -= 1)
    text = mutated(draw, text);
  // UTF-8 has no half of a surrogate pair.
  return (onceIn(draw, 12) ? text.replaceAll("\n", "\r\n") : text).toWellFormed();
}

const small: readonly string[] = corpus
  .map(({ mapRoles }) => mapRoles)
  .filter((text) => text.length < 2000);

function base(draw: Draw): string {
  const kind = draw(10);
  if (kind < 3) return oneOf(draw, small);
  if (kind > 3) return plainList(draw);
  const items = several(draw, 3, () => ({
    rolearn: arnOf(oneOf(draw, ["node", "Node", "dev"])),
    [oneOf(draw, ["username", "USERNAME", "a"])]: oneOf(draw, ["system:node:x", ...values]),
    groups: several(draw, 3, () =>
      oneOf(draw, ["system:bootstrappers", "system:nodes", ...values]),
    ),
    [oneOf(draw, ["sso", "Groups", "username", "b"])]: oneOf(draw, [null, true, -1, {}, "&"]),
  }));
  const json = JSON.stringify(items, null, oneOf(draw, ["", "", "  ", "\t"]));
  return onceIn(draw, 2) ? json : json.replaceAll("&", "\\u0026");
}

/** A list of lines as people write them, in any style, perhaps in several. */
function plainList(draw: Draw): string {
  const indent = oneOf(draw, ["", "", "", "  ", "    "]);
  const ends = ["\n\n", " # a\n", "  \n", "\n# a\n", "\n  # a\n", "\n      # a\n"];
  const end = onceIn(draw, 3) ? "\n" : oneOf(draw, ends);
  const items = [plainItem(draw), ...several(draw, 3, () => plainItem(draw))];
  const lines = shuffled(draw, items)
    .flat()
    .map((line) => indent + line);
  return (
    oneOf(draw, ["", "", "", "# a\n", "\n", "  # a\n"]) +
    lines.join(end) +
    oneOf(draw, ["\n", "\n", "", " # a", "\n\n"])
  );
}

function plainItem(draw: Draw): readonly string[] {
  const put = (text: string) => oneOf(draw, [text, text, `"${text}"`, `'${text}'`]);
  const name = (key: string) => put(onceIn(draw, 8) ? key.toUpperCase() : key);
  const role = arnOf(oneOf(draw, ["node", "node", "Node", "dev", "admin", "team/node"]));
  const user = oneOf(draw, [
    "system:node:{{EC2PrivateDNSName}}",
    "system:node:x",
    "admin",
    "a b",
    oneOf(draw, values),
  ]);
  const groups = oneOf(draw, [
    ["system:bootstrappers", "system:nodes"],
    ["system:nodes"],
    [],
    ["a", oneOf(draw, values)],
  ]);
  const deep = oneOf(draw, ["", "  "]);
  const list = onceIn(draw, 4)
    ? [` [${groups.map(put).join(oneOf(draw, [", ", ",", " , "]))}]`]
    : ["", ...groups.map((one) => `${deep}- ${put(one)}`)];
  const fields = [
    onceIn(draw, 8)
      ? [`${name("rolearn")}: >-`, `    ${role}`]
      : [`${name("rolearn")}: ${put(role)}`],
    [`${name("username")}: ${put(user)}`],
    [`${name("groups")}:${list[0]}`, ...list.slice(1)],
    ...several(draw, 1, () => [`${oneOf(draw, keys)}: ${oneOf(draw, values)}`]),
  ];
  const space = oneOf(draw, [" ", " ", "   "]);
  return shuffled(draw, fields)
    .flat()
    .map((line, at) => (at === 0 ? `-${space}` : ` ${space}`) + line);
}

const shuffled = <T>(draw: Draw, items: readonly T[]): readonly T[] =>
  items.toSorted(() => draw(2) - 0.5);

// Where something begins or ends that means something to a reader of YAML.
const edges = /(?<=[-:?,[\]{}#'"\n|>&*!])|(?=[-:?,[]{}#'"\n|>&*!])/g;

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
