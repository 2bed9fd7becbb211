import { isNodeUsername, type RoleMapping } from "../node-mapping.ts";
import { type AwsAuthEntry, groupsLacking, tryEntryFor } from "./entry.ts";
import { type AwsAuth, readAwsAuth, tryTooLong } from "./reading.ts";
import { tryLineNaming } from "./role-in-map.ts";
import { mappingJson, mappingLines } from "./text.ts";

/** The change to `mapRoles` that maps a role, or the reason why there is none. */
export type AwsAuthEdit =
  | { readonly kind: "already" }
  | { readonly kind: "edited"; readonly text: string }
  /** The role is mapped to a user that is not a node; this mapping is not ours to change. */
  | { readonly kind: "taken"; readonly username: string; readonly line: number }
  /** The role is mapped to nodes, without some groups that they need; this mapping is not ours to change either. */
  | { readonly kind: "lacking"; readonly lacks: readonly string[]; readonly line: number }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Adds a role to the text of `mapRoles`, at its end.
 *
 * It leaves every character as it is, and adds nothing to a text that it cannot read, or that names the role already: one
 * bad write locks every role out of the cluster, and the last entry of a role counts.
 */
export function awsAuthEdit(mapRoles: string, wanted: RoleMapping): AwsAuthEdit {
  const reading = readAwsAuth(mapRoles);
  if (reading.kind === "unreadable") return reading;
  const line = tryLineNaming(mapRoles, wanted);
  if (line !== undefined) return found(tryEntryFor(reading.entries, wanted.role), wanted, line);
  const text = appended(mapRoles, reading, wanted);
  const reason = tryTooLong(text);
  return reason === undefined ? { kind: "edited", text } : { kind: "unreadable", reason };
}

function found(entry: AwsAuthEntry | undefined, wanted: RoleMapping, line: number): AwsAuthEdit {
  if (entry === undefined)
    return { kind: "unreadable", reason: `line ${line} names the role, but does not map it` };
  const { username } = entry;
  if (!isNodeUsername(username)) return { kind: "taken", username, line };
  const lacks = groupsLacking(wanted.groups, entry);
  return lacks.length === 0 ? { kind: "already" } : { kind: "lacking", lacks, line };
}

function appended(text: string, { form }: AwsAuth, wanted: RoleMapping): string {
  if (form.kind === "nothing") return `${mappingLines(wanted, "").join("\n")}\n`;
  if (form.kind === "json") {
    const head = text.slice(0, text.lastIndexOf("]")).trimEnd();
    return `${head}, ${mappingJson(wanted)}${text.slice(head.length)}`;
  }
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = [...mappingLines(wanted, form.indent), ""].join(ending);
  return text.endsWith("\n") ? text + lines : text + ending + lines;
}
