import { hours, type Instant, instant } from "../../lambda/base/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { Found } from "../connect/found.ts";
import { entriesIn } from "../status/last-entries.ts";

/** Why the upgrade function has refused to begin an upgrade, as its log of the last hour says; empty when it does not. */
export async function refusalIn(
  logGroup: Found<string>,
  { id, now }: { readonly id: string; readonly now: Instant },
  aws: AwsAccess,
): Promise<readonly string[]> {
  const question = { filterPattern: `"${id}"`, since: instant(now - hours(1)) };
  const found = await entriesIn(logGroup, aws, question);
  if (found.kind === "unknown") return [];
  const [reasons = []] = found.value.entries.flatMap((entry) =>
    entry.kind === "upgrade-answered" &&
    entry.upgrade === id &&
    entry.command === "start" &&
    entry.end.kind === "refused"
      ? [entry.end.reasons]
      : [],
  );
  return reasons;
}
