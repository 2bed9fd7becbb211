import type { RoleMapping } from "../node-mapping.ts";

/** Writes a mapping as a list item of several lines, in the form that managed node groups use. */
export const mappingLines = (mapping: RoleMapping, indent: string): readonly string[] => [
  `${indent}- groups:`,
  ...mapping.groups.map((group) => `${indent}  - ${group}`),
  `${indent}  rolearn: ${mapping.role}`,
  `${indent}  username: ${mapping.username}`,
];

/** Writes a mapping as JSON on one line, which every YAML reader accepts too. */
export function mappingJson({ groups, role, username }: RoleMapping): string {
  const list = groups.map((group) => JSON.stringify(group)).join(", ");
  const [rolearn, name] = [JSON.stringify(role), JSON.stringify(username)];
  return `{"groups": [${list}], "rolearn": ${rolearn}, "username": ${name}}`;
}
