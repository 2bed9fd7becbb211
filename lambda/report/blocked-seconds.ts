import { between, type Instant, later, latest } from "../base/time.ts";
import type { Dated } from "../registrations/entry.ts";

/** The entries of a pass, and when it was over. */
export interface BlockedPass {
  readonly entries: readonly Dated[];
  readonly to: Instant;
}

/** How many pods of a namespace are held, since when some are, and how long some were before that. */
interface Count {
  readonly held: number;
  readonly since: Instant;
  readonly seconds: number;
}

/** For how many seconds budgets held pods, by namespace: during a pass, and during the rest after it if they still hold pods then. */
export function blockedSeconds({ entries, to }: BlockedPass): ReadonlyMap<string, number> {
  const counts = new Map<string, Count>();
  for (const entry of entries) {
    if (entry.kind !== "pods-held" && entry.kind !== "pods-freed") continue;
    const [namespace = ""] = entry.budget.split("/", 1);
    const change = entry.kind === "pods-held" ? entry.pods.length : -entry.pods.length;
    counts.set(namespace, counted(counts.get(namespace), change, entry.at));
  }
  const rests = entries.flatMap((entry) =>
    entry.kind === "pass-ended" ? [later(entry.at, entry.wait)] : [],
  );
  const end = latest(to, ...rests);
  return new Map(
    Array.from(counts, ([namespace, count]) => [
      namespace,
      counted(count, -count.held, end).seconds,
    ]),
  );
}

function counted(before: Count | undefined, change: number, at: Instant): Count {
  const { held, since, seconds } = before ?? { held: 0, since: at, seconds: 0 };
  const passed = held > 0 ? between(since, at) : between(at, at);
  return { held: Math.max(0, held + change), since: at, seconds: seconds + passed / 1000 };
}
