import { readFile } from "node:fs/promises";
import { auditEventSchema } from "./audit-event-schema.ts";

/** One request as the API server's audit log has it. */
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
  };
}

/** Whether an entry is one that the filter asks for; an empty filter asks for all. */
export function matches(entry: AuditEntry, { userAgent, verbs, resource }: AuditFilter): boolean {
  if (userAgent !== undefined && !entry.userAgent?.startsWith(userAgent)) return false;
  if (verbs !== undefined && !verbs.includes(entry.verb)) return false;
  return resource === undefined || resource === entry.resource;
}

/** Reads an audit log, oldest first; a line that is still being written is left for later. */
export async function readAuditLog(path: string): Promise<readonly AuditEntry[]> {
  const complete = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return complete.map(entryOf);
}
