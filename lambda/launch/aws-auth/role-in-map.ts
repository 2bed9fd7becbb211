import { isNodeUsername, type RoleMapping } from "../node-mapping.ts";
import { type AwsAuthEntry, groupsLacking, tryEntryFor } from "./entry.ts";
import { lineAt, readAwsAuth } from "./reading.ts";
import { naming } from "./shape.ts";

/**
 * The rights that `mapRoles` gives to the holders of a role, which an access entry for nodes would
 * replace.
 */
export type RoleInMap =
  /** Nothing that an access entry would not give too. */
  | { readonly kind: "free" }
  /** All that nodes need. */
  | { readonly kind: "enough" }
  /** Too little for nodes, and something that an access entry would not give. */
  | {
      readonly kind: "other";
      readonly lacks: readonly string[];
      readonly has: readonly string[];
      readonly line: number;
    }
  /** A user that is not a node. */
  | { readonly kind: "taken"; readonly username: string; readonly line: number };

/**
 * Reads what `mapRoles` gives to the holders of a role; nothing if the text cannot be read. The authenticator may drop such
 * a text whole, and then an entry is the only way in.
 */
export function roleInMap(mapRoles: string, wanted: RoleMapping): RoleInMap {
  const reading = readAwsAuth(mapRoles);
  if (reading.kind === "unreadable") return { kind: "free" };
  const entry = tryEntryFor(reading.entries, wanted.role);
  return entry === undefined ? { kind: "free" } : roleInMapOf(entry, mapRoles, wanted);
}

function roleInMapOf(entry: AwsAuthEntry, mapRoles: string, wanted: RoleMapping): RoleInMap {
  const { username, groups } = entry;
  const line = tryLineNaming(mapRoles, wanted) ?? 1;
  if (!isNodeUsername(username)) return { kind: "taken", username, line };
  const lacks = groupsLacking(wanted.groups, entry);
  if (lacks.length === 0) return { kind: "enough" };
  const own = groups.filter((group) => !wanted.groups.includes(group));
  const has = username === wanted.username ? own : [username, ...own];
  return has.length === 0 ? { kind: "free" } : { kind: "other", lacks, has, line };
}

/** The number of the last line that names a role, be it in a comment; `undefined` if there is none. */
export function tryLineNaming(text: string, { role }: RoleMapping): number | undefined {
  const found = [...text.toLowerCase().matchAll(new RegExp(naming(role), "g"))].at(-1);
  return found && lineAt(text, found.index);
}
