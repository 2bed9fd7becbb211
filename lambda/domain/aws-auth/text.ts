import type { RoleMapping } from "../launch/node-mapping.ts";

// A word with a colon inside needs no quotes: no YAML reader takes it for a number, a boolean or a key.
const plain = /^[a-z][\w-]*:[\w:./@+=,{}-]*[\w/@+=,{}-]$/i;

const scalar = (text: string): string => (plain.test(text) ? text : JSON.stringify(text));

/** Writes a group as a list item on one line. */
export const groupLine = (group: string, indent: string): string => `${indent}- ${scalar(group)}`;

/** Writes a mapping as a list item of several lines, in the form that managed node groups use. */
export const mappingLines = (mapping: RoleMapping, indent: string): readonly string[] => [
  `${indent}- groups:`,
  ...mapping.groups.map((group) => groupLine(group, `${indent}  `)),
  `${indent}  rolearn: ${scalar(mapping.role)}`,
  `${indent}  username: ${scalar(mapping.username)}`,
];

/** Writes a mapping for a list in brackets: as JSON, which every YAML reader accepts too. */
export function mappingInBrackets({ groups, role, username }: RoleMapping): string {
  const list = groups.map((group) => JSON.stringify(group)).join(", ");
  const [rolearn, name] = [JSON.stringify(role), JSON.stringify(username)];
  return `{"groups": [${list}], "rolearn": ${rolearn}, "username": ${name}}`;
}
