import { isNodeUsername, type RoleMapping } from "../launch/node-mapping.ts";
import { groupsLacking, tryEntryFor } from "./entry.ts";
import { type AwsAuth, type ListedEntry, lineOf, readAwsAuth } from "./reading.ts";

/** What `mapRoles` gives to the holders of a role, which an access entry for nodes would replace. */
export type RoleStanding =
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
  | { readonly kind: "taken"; readonly username: string; readonly line: number }
  /** Perhaps something: the text names the role, but cannot be read. */
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads what `mapRoles` gives to the holders of a role. */
export function roleStanding(mapRoles: string, wanted: RoleMapping): RoleStanding {
  const reading = readAwsAuth(mapRoles.replace(/^\ufeff/, ""));
  if (reading.kind === "unreadable") return mayName(mapRoles, wanted) ? reading : { kind: "free" };
  const entry = tryEntryFor(reading.entries, wanted.role);
  return entry === undefined ? { kind: "free" } : standingOf(entry, reading, wanted);
}

function standingOf(entry: ListedEntry, reading: AwsAuth, wanted: RoleMapping): RoleStanding {
  const { username, groups } = entry;
  const line = lineOf(entry, reading);
  if (!isNodeUsername(username)) return { kind: "taken", username, line };
  const lacks = groupsLacking(wanted.groups, entry);
  if (lacks.length === 0) return { kind: "enough" };
  const own = groups.filter((group) => !wanted.groups.includes(group));
  const has = username === wanted.username ? own : [username, ...own];
  return has.length === 0 ? { kind: "free" } : { kind: "other", lacks, has, line };
}

/** Whether a text may contain the ARN of a role, which YAML can spell in other ways only by escapes and tags. */
function mayName(text: string, { role }: RoleMapping): boolean {
  // Go takes these letters for an i and an s.
  if (/[\\!\u0130\u017f]/.test(text)) return true;
  const [, ...rests] = text.toLowerCase().split(role.slice(role.indexOf("role/")).toLowerCase());
  return rests.some((rest) => !/^[\w+=.@-]/.test(rest));
}
