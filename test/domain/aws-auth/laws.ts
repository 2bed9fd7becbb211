import { type AwsAuthEdit, awsAuthEdit } from "../../../lambda/domain/aws-auth/edit.ts";
import type { RoleMapping } from "../../../lambda/domain/launch/node-mapping.ts";
import { authenticated, type Mapped } from "./authenticator.ts";

type Edited = Extract<AwsAuthEdit, { readonly kind: "edited" }>;

const sharedStart = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
};

const reversed = (text: string): string => text.split("").reverse().join("");

const isInsertionInto = (before: string, now: string): boolean =>
  sharedStart(before, now) + sharedStart(reversed(before), reversed(now)) >= before.length;

const standsForNothing = /''|""|``|\[\s*\]|\{\s*\}|null|~/gi;
const saysNothing = /^\ufeff?\s*(''|""|``|\[\s*\]|\{\s*\}|null|~)?\s*$/i;

/** Whether an edit keeps the old text. In a text that maps no role, it may replace what means an empty list, such as `''`. */
function isKept(before: string, now: string): boolean {
  if (saysNothing.test(before) || isInsertionInto(before, now)) return true;
  return (
    authenticated(before).size === 0 &&
    [...before.matchAll(standsForNothing)].some(({ 0: nothing, index }) =>
      isInsertionInto(before.slice(0, index) + before.slice(index + nothing.length), now),
    )
  );
}

const withGroups = (old: Mapped | undefined, wanted: RoleMapping): Mapped => {
  const groups = old?.groups ?? [];
  const missing = wanted.groups.filter((group) => !groups.includes(group));
  return { username: old?.username ?? wanted.username, groups: [...groups, ...missing] };
};

const asText = (mappings: ReadonlyMap<string, Mapped>): string =>
  JSON.stringify([...mappings].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** The laws that every edit must keep if it writes something. */
const laws: Readonly<
  Record<string, (before: string, edit: Edited, wanted: RoleMapping) => boolean>
> = {
  "the old text is still there, byte for byte, around what was added": (before, { text }) =>
    isKept(before, text),

  "adding a role twice is the same as adding it once": (_, { text }, wanted) =>
    awsAuthEdit(text, wanted).kind === "already",

  "every other role is mapped as before, and this one to its groups in addition to those it had": (
    before,
    { text },
    wanted,
  ) => {
    const arn = wanted.role.toLowerCase();
    const old = authenticated(before);
    const expected = new Map(old).set(arn, withGroups(old.get(arn), wanted));
    return asText(authenticated(text)) === asText(expected);
  },
};

/** The laws that an edit has broken; none if nothing was written. */
export function brokenLaws(
  before: string,
  edit: AwsAuthEdit,
  wanted: RoleMapping,
): readonly string[] {
  if (edit.kind !== "edited") return [];
  return Object.entries(laws)
    .filter(([, holds]) => !holds(before, edit, wanted))
    .map(([law]) => law);
}
