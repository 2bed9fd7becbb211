import { isDeepStrictEqual } from "node:util";
import type { AwsAuthEdit } from "../../lambda/domain/aws-auth/edit.ts";
import { isSameArn } from "../../lambda/domain/aws-auth/entry.ts";
import { readAwsAuth } from "../../lambda/domain/aws-auth/reading.ts";
import type { RoleMapping } from "../../lambda/domain/launch/node-mapping.ts";
import type { MapRolesAnswer } from "./map-roles-schema.ts";

/** How the function and the authenticator read a text: alike, differently, or the function refuses it. */
export type Comparison = "alike" | "differently" | "refused";

/** Compares how the function and the authenticator read a text. */
export function compareReaders(text: string, { json, roles }: MapRolesAnswer): Comparison {
  const reading = readAwsAuth(text.replace(/^\ufeff/, ""));
  if (reading.kind === "unreadable") return "refused";
  if (reading.form.kind !== "list") return roles.length === 0 ? "alike" : "differently";
  const entries = reading.entries.map(({ arn, username, groups }) => ({ arn, username, groups }));
  const theirs = roles
    .filter(({ rolearn }) => rolearn !== "")
    .map(({ rolearn, username, groups }) => ({ arn: rolearn, username, groups: groups ?? [] }));
  const isAlike =
    isDeepStrictEqual(plain(reading.items), json) && isDeepStrictEqual(entries, theirs);
  return isAlike ? "alike" : "differently";
}

/** Values as JSON has them: no infinity, no undefined, no negative zero. */
const plain = (values: unknown): unknown => JSON.parse(JSON.stringify(values));

/** What the authenticator reads before and after an edit. */
export interface BeforeAndAfter {
  readonly before: MapRolesAnswer;
  readonly after: MapRolesAnswer;
}

/** Whether the authenticator reads all that it read before an edit, and the role that the edit adds. */
export function isKeptByEdit(
  edit: AwsAuthEdit,
  { before, after }: BeforeAndAfter,
  wanted: RoleMapping,
): boolean {
  if (edit.kind !== "edited") return true;
  const old = own(before, wanted).at(-1);
  const { username = wanted.username, groups: had } = old ?? {};
  const missing = wanted.groups.filter((group) => !(had ?? []).includes(group));
  const now = own(after, wanted).at(-1);
  return (
    isDeepStrictEqual(others(before, wanted), others(after, wanted)) &&
    now?.username === username &&
    isDeepStrictEqual(now.groups, [...(had ?? []), ...missing])
  );
}

const own = ({ roles }: MapRolesAnswer, { role }: RoleMapping) =>
  roles.filter(({ rolearn }) => isSameArn(rolearn, role));

/** Everything in the list but the entries of a role. */
function others({ json }: MapRolesAnswer, { role }: RoleMapping): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(json) ? json : [];
  return items.filter((item) => !isEntryOf(item, role));
}

const isEntryOf = (item: unknown, role: string): boolean =>
  typeof item === "object" &&
  item !== null &&
  // `sso: null` is no role of IAM Identity Center.
  !("sso" in item && item.sso !== null) &&
  Object.entries(item).some(
    ([key, value]) => /^rolearn$/i.test(key) && typeof value === "string" && isSameArn(value, role),
  );
