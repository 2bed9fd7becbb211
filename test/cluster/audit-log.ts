import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { auditEventSchema } from "./audit-event-schema.ts";

/** One request in the API server's audit log. */
export interface AuditEntry {
  readonly at: string;
  readonly stage: string;
  readonly verb: string;
  readonly uri: string;
  readonly apiGroup: string | undefined;
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly groups: readonly string[];
  readonly userAgent: string | undefined;
  readonly code: number | undefined;
  readonly requestObject: unknown;
  /** The line of the log. */
  readonly line: string;
}

/** What to look for, as an operator filters the audit log in CloudWatch Logs Insights. */
export interface AuditFilter {
  /** How the user agent begins. */
  readonly userAgent?: string;
  readonly verbs?: readonly string[];
  readonly resource?: string;
}

/** The verbs that change something. */
export const mutatingVerbs = ["create", "update", "patch", "delete", "deletecollection"];

function entryOf(line: string): AuditEntry {
  const { objectRef, user, responseStatus, ...event } = auditEventSchema.parse(JSON.parse(line));
  return {
    at: event.stageTimestamp,
    stage: event.stage,
    verb: event.verb,
    uri: event.requestURI,
    apiGroup: objectRef?.apiGroup,
    resource: objectRef?.resource,
    subresource: objectRef?.subresource,
    namespace: objectRef?.namespace,
    name: objectRef?.name,
    user: user.username,
    groups: user.groups ?? [],
    userAgent: event.userAgent,
    code: responseStatus?.code,
    requestObject: event.requestObject,
    line,
  };
}

/** Whether an entry matches the filter; every entry matches an empty filter. */
export function matches(entry: AuditEntry, { userAgent, verbs, resource }: AuditFilter): boolean {
  if (userAgent !== undefined && !entry.userAgent?.startsWith(userAgent)) return false;
  if (verbs !== undefined && !verbs.includes(entry.verb)) return false;
  return resource === undefined || resource === entry.resource;
}

/** Reads the audit log of a folder, oldest first; a line that is still being written is left for later. */
export async function readAuditLog(folder: string): Promise<readonly AuditEntry[]> {
  // The API server renames a log that has grown too large after the time: `audit-2026-11-21T….log`,
  // which sorts before `audit.log`.
  const files = (await readdir(folder)).filter((name) => /^audit(-.*)?\.log$/.test(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map(entryOf);
}
