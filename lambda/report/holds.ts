import type { NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import { ofKinds } from "../notice/entry.ts";
import type { Subject } from "../notice/subject.ts";
import type { HeardEntry } from "./reported-entry.ts";

export type BudgetHold = HeardEntry<Extract<DrainEntry, { readonly kind: "pods-held" }>>;

/** All budgets that still hold pods on a node. The log has an entry for each when it begins. */
export type LastingHolds = Subject & {
  readonly kind: "holds-last";
  readonly node: NodeName;
  readonly holds: readonly BudgetHold[];
  readonly at: Instant;
};

// Most budgets allow the next eviction once the pod before is replaced, so a wait of a few seconds is normal.
const brief = seconds(10);
// The budgets of a node begin to hold pods within moments of each other, when their first pods are gone.
const together = seconds(5);

const isHeld = ofKinds<DrainEntry>()("pods-held");
const isFreed = ofKinds<DrainEntry>()("pods-freed");

/** The holds after one more entry, the oldest first. */
export function holdsAfter(holds: readonly BudgetHold[], entry: HeardEntry): readonly BudgetHold[] {
  if (isHeld(entry)) return withHold(holds, entry);
  if (!isFreed(entry)) return holds;
  const { pods: freed } = entry;
  return holds
    .map((hold) => ({ ...hold, pods: hold.pods.filter((pod) => !freed.includes(pod)) }))
    .filter(({ pods }) => pods.length > 0);
}

function withHold(holds: readonly BudgetHold[], more: BudgetHold): readonly BudgetHold[] {
  const { node, budget } = more;
  const before = holds.find((hold) => hold.node === node && hold.budget === budget);
  if (before === undefined) return [...holds, more];
  const pods = [...new Set([...before.pods, ...more.pods])];
  const owners = [...before.owners, ...more.owners];
  return holds.map((hold) => (hold === before ? { ...more, at: before.at, pods, owners } : hold));
}

/** When the oldest of these holds has lasted long enough to be reported. */
export const lastingFrom = (holds: readonly BudgetHold[]): Instant =>
  earliest(never, ...holds.map(({ at }) => later(at, brief)));

/** The holds to report now. Once one has lasted long enough, those that began soon after it are reported with it. */
export const lastingAt = (holds: readonly BudgetHold[], now: Instant): readonly BudgetHold[] =>
  now < lastingFrom(holds) ? [] : holds.filter(({ at }) => later(at, together) <= now);

export const byNode = (holds: readonly BudgetHold[]): readonly LastingHolds[] =>
  [...Map.groupBy(holds, ({ node }) => node).values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ ...first, kind: "holds-last", holds: group })),
  );
