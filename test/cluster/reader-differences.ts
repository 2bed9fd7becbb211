import { isDeepStrictEqual } from "node:util";
import type { AwsAuthEdit } from "../../lambda/launch/aws-auth/edit.ts";
import { readAwsAuth } from "../../lambda/launch/aws-auth/reading.ts";
import { isNodeUsername, type RoleMapping } from "../../lambda/launch/node-mapping.ts";
import type { MapRolesAnswer } from "./map-roles-schema.ts";

/** How the function and the authenticator read a text: alike, differently, or the function refuses it. */
export type Comparison = "alike" | "differently" | "refused";

/** Compares how the function and the authenticator read a text. */
export function compareReaders(text: string, { roles }: MapRolesAnswer): Comparison {
  const reading = readAwsAuth(text);
  if (reading.kind === "unreadable") return "refused";
  const theirs = roles
    .filter(({ rolearn }) => rolearn !== "")
    .map(({ rolearn, username, groups }) => ({ arn: rolearn, username, groups: groups ?? [] }));
  return isDeepStrictEqual(reading.entries, theirs) ? "alike" : "differently";
}

/** What the authenticator reads before and after a change. */
export interface BeforeAndAfter {
  readonly before: MapRolesAnswer;
  readonly after: MapRolesAnswer;
}

/** Whether a change has added a mapping to what the authenticator reads, after all else, and for a role that had none. */
export function isAppended(
  { before, after }: BeforeAndAfter,
  { role, username, groups }: RoleMapping,
): boolean {
  const items: readonly unknown[] = Array.isArray(before.json) ? before.json : [];
  return (
    isDeepStrictEqual(after.json, [...items, { groups, rolearn: role, username }]) &&
    tryMapped(before, role) === undefined
  );
}

/** Whether an outcome for a role is true to what the authenticator reads before and after. */
export function isTrue(
  { kind }: AwsAuthEdit,
  { before, after }: BeforeAndAfter,
  wanted: RoleMapping,
): boolean {
  if (kind === "edited") return isAppended({ before, after }, wanted);
  const { username = "", groups } = tryMapped(before, wanted.role) ?? {};
  const has = (group: string) => groups?.includes(group) === true;
  const isEnough = isNodeUsername(username) && wanted.groups.every(has);
  return kind === "unreadable" || isEnough === (kind === "already");
}

/** The mapping that counts for a role: the last one. */
const tryMapped = ({ roles }: MapRolesAnswer, role: string) =>
  roles.findLast(({ rolearn }) => rolearn.toLowerCase() === role.toLowerCase());
