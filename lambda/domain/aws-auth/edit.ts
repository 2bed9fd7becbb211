import { isNodeUsername, type RoleMapping } from "../launch/node-mapping.ts";
import type { RoleArn } from "../launch/role-arn.ts";
import { groupsLacking, isSameArn, tryEntryFor } from "./entry.ts";
import { additions, groupAdditions } from "./places.ts";
import { type AwsAuth, lineOf, readAwsAuth, tryTooLong } from "./reading.ts";
import { type Splice, spliced } from "./splice.ts";
import { mappingLines } from "./text.ts";

/** The change to `mapRoles` that maps a role, or the reason why there is none. */
export type AwsAuthEdit =
  | { readonly kind: "already" }
  | { readonly kind: "edited"; readonly text: string }
  /** The role is mapped to a user that is not a node; this mapping is not ours to change. */
  | { readonly kind: "taken"; readonly username: string; readonly line: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Adds a role to the text of `mapRoles`.
 *
 * It rewrites no entry that was there. It returns a text only if that text maps every other role as before: one bad
 * write locks every role out of the cluster.
 */
export function awsAuthEdit(mapRoles: string, wanted: RoleMapping): AwsAuthEdit {
  const mark = mapRoles.startsWith(byteOrderMark) ? byteOrderMark : "";
  const edit = editOf(mapRoles.slice(mark.length), wanted);
  return edit.kind === "edited" ? { kind: "edited", text: mark + edit.text } : edit;
}

const byteOrderMark = "\ufeff";

// The authenticator ignores two backticks as well, although they are not YAML.
const emptyForm = /^[ \t\r\n]*(?:''|""|``|\[[ \r\n]*\]|\{[ \r\n]*\}|null|~)?[ \t\r\n]*$/i;

function editOf(text: string, wanted: RoleMapping): AwsAuthEdit {
  if (emptyForm.test(text))
    return { kind: "edited", text: `${mappingLines(wanted, "").join("\n")}\n` };
  const reading = readAwsAuth(text);
  if (reading.kind === "unreadable") return reading;
  const entry = tryEntryFor(reading.entries, wanted.role);
  if (entry === undefined)
    return firstSafe({ text, reading, goal: wanted }, additions(text, reading, wanted));
  const line = lineOf(entry, reading);
  if (!isNodeUsername(entry.username)) return { kind: "taken", username: entry.username, line };
  const groups = groupsLacking(wanted.groups, entry);
  if (groups.length === 0) return { kind: "already" };
  const goal = { ...wanted, username: entry.username, groups: [...entry.groups, ...groups] };
  return firstSafe({ text, reading, goal }, [
    ...groupAdditions(text, reading, { entry, groups }),
    // Where the entry's own groups cannot be extended, a second entry after it names all of them.
    ...additions(text, reading, goal),
  ]);
}

interface Aim {
  readonly text: string;
  readonly reading: AwsAuth;
  readonly goal: RoleMapping;
}

function firstSafe({ text, reading, goal }: Aim, splices: readonly Splice[]): AwsAuthEdit {
  for (const splice of splices) {
    const edited = spliced(text, splice);
    const tooLong = tryTooLong(edited);
    if (tooLong !== undefined) return { kind: "unreadable", reason: tooLong };
    const after = readAwsAuth(edited);
    if (after.kind === "read" && keepsOthers(reading, after, goal) && maps(after, goal))
      return { kind: "edited", text: edited };
  }
  return { kind: "unreadable", reason: "line 1: no place where an entry could be added safely" };
}

/** Whether all items but the entries for one role are the same as before, in the same order. */
const keepsOthers = (before: AwsAuth, now: AwsAuth, { role }: RoleMapping): boolean =>
  JSON.stringify(others(before, role)) === JSON.stringify(others(now, role));

function others({ items, entries }: AwsAuth, role: RoleArn): readonly unknown[] {
  const own = new Set(entries.filter(({ arn }) => isSameArn(arn, role)).map(({ index }) => index));
  return items.filter((_, index) => !own.has(index));
}

function maps({ entries }: AwsAuth, { role, username, groups }: RoleMapping): boolean {
  const entry = tryEntryFor(entries, role);
  return entry?.username === username && JSON.stringify(entry.groups) === JSON.stringify(groups);
}
