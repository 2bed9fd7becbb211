import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { hours, type Instant } from "../../lambda/domain/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, readFrom } from "../connect/found.ts";

/** Why the upgrade function has refused to begin an upgrade, as its log of the last hour says; empty when it does not. */
export async function refusalIn(
  logGroup: Found<string>,
  { id, now }: { readonly id: string; readonly now: Instant },
  aws: AwsAccess,
): Promise<readonly string[]> {
  if (logGroup.kind === "unknown") return [];
  const { value: logGroupName } = logGroup;
  const request = { logGroupName, filterPattern: `"${id}"`, startTime: now - hours(1) };
  const found = await readFrom(`reading the log ${logGroupName}`, "logs:FilterLogEvents", () =>
    reasonsIn(paginateFilterLogEvents({ client: new CloudWatchLogsClient(aws) }, request), id),
  );
  return found.kind === "known" ? found.value : [];
}

async function reasonsIn(
  pages: ReturnType<typeof paginateFilterLogEvents>,
  id: string,
): Promise<readonly string[]> {
  for await (const { events = [] } of pages) {
    const reasons = events.flatMap(({ message = "" }) => reasonsOf(message, id));
    if (reasons.length > 0) return reasons;
  }
  return [];
}

function reasonsOf(line: string, id: string): readonly string[] {
  const entry = tryReadEntry(line);
  if (entry?.kind !== "upgrade-answered" || entry.upgrade !== id) return [];
  if (entry.command !== "start") return [];
  return entry.end.kind === "refused" ? entry.end.reasons : [];
}
