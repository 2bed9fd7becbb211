import type { RoleMapping } from "../launch/node-mapping.ts";

// A word with a colon in it: no reader takes it for a number, a truth value or a key.
const plain = /^[a-z][\w-]*:[\w:./@+=,{}-]*[\w/@+=,{}-]$/i;

const scalar = (text: string): string => (plain.test(text) ? text : JSON.stringify(text));

/** A group as an item of a list, a line. */
export const groupLine = (group: string, indent: string): string => `${indent}- ${scalar(group)}`;

/** A mapping as an item of a list, line by line, as managed node groups write theirs. */
export const mappingLines = (mapping: RoleMapping, indent: string): readonly string[] => [
  `${indent}- groups:`,
  ...mapping.groups.map((group) => groupLine(group, `${indent}  `)),
  `${indent}  rolearn: ${scalar(mapping.role)}`,
  `${indent}  username: ${scalar(mapping.username)}`,
];

/** A mapping within brackets: as JSON, which every reader of YAML takes too. */
export function mappingInBrackets({ groups, role, username }: RoleMapping): string {
  const list = groups.map((group) => JSON.stringify(group)).join(", ");
  const [rolearn, name] = [JSON.stringify(role), JSON.stringify(username)];
  return `{"groups": [${list}], "rolearn": ${rolearn}, "username": ${name}}`;
}
