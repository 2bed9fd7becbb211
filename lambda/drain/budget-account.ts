import type { PodUid } from "../base/ids.ts";
import { type Instant, later, milliseconds, never, seconds } from "../base/time.ts";
import type { Budget, BudgetAccount, Claim } from "./budget.ts";
import type { Evicted } from "./eviction.ts";
import type { Pod } from "./pod.ts";

// A watch is hardly ever later than that.
const longestUncounted = seconds(5);
// A refusal with another cause than the budget's status may end without a change of the budget.
const longestClosed = seconds(2);
const contestedFor = seconds(30);
// Several times as long as an eviction takes to be seen by all.
const spread = milliseconds(500);

/** Adds a pod whose eviction is under way. */
export const claimed = (account: BudgetAccount, { uid, name }: Pod): BudgetAccount => ({
  ...account,
  claims: new Map(account.claims).set(uid, { pod: name, until: never }),
});

/**
 * Notes the answer to the eviction of a pod.
 *
 * One that was accepted counts until the budget's status shows it. Any other took no disruption, as far as one can know.
 * If the budget refuses though its status allows the eviction, other processes use it too.
 */
export function answered(
  account: BudgetAccount,
  {
    pod,
    answer,
    now,
  }: {
    readonly pod: Pod;
    /** `failed` where there is none. */
    readonly answer: Evicted["kind"] | "failed";
    readonly now: Instant;
  },
): BudgetAccount {
  if (answer === "accepted") return granted(account, pod, now);
  const claims = without(account.claims, ([uid]) => uid === pod.uid);
  if (answer !== "blocked") return { ...account, claims };
  const use = { kind: "closed", until: later(now, longestClosed) } as const;
  return { claims, use, contested: later(now, contestedFor) };
}

/** Counts a granted eviction, unless the budget's status already shows it. */
function granted(account: BudgetAccount, { uid, name }: Pod, now: Instant): BudgetAccount {
  if (!account.claims.has(uid)) return account;
  const claim = { pod: name, until: later(now, longestUncounted) };
  return { ...account, claims: new Map(account.claims).set(uid, claim) };
}

/** A budget as it is now, and a number between 0 and 1 that no other process has. */
export interface BudgetReading {
  readonly budget: Pick<Budget, "disrupted" | "disruptionsAllowed">;
  readonly now: Instant;
  readonly chance: number;
}

/** Takes out the claims that a new status of the budget counts, and chooses when to use what it allows. */
export const seen = (
  account: BudgetAccount,
  { budget, ...when }: BudgetReading,
): BudgetAccount => ({
  ...account,
  claims: without(account.claims, ([, { pod }]) => budget.disrupted.has(pod)),
  use: used(account, { budget, ...when }),
});

/**
 * When to use what a budget allows. The processes that use the same budget hear of its change at the same moment. So each
 * waits for a random moment, and finds out then what the others have left.
 */
function used(
  { contested, use }: BudgetAccount,
  { budget, now, chance }: BudgetReading,
): BudgetAccount["use"] {
  if (contested <= now) return { kind: "open" };
  if (budget.disruptionsAllowed <= 0) return { kind: "closed", until: contested };
  return use.kind === "closed"
    ? { kind: "opening", until: later(now, milliseconds(spread * chance)) }
    : use;
}

/** Takes out the claims that were accepted: a list that was made since then counts them. */
export const afterList = (account: BudgetAccount): BudgetAccount => ({
  ...account,
  claims: without(account.claims, ([, { until }]) => until !== never),
  use: { kind: "open" },
});

/** Whether an account says nothing about its budget any more. */
export const isSettled = ({ claims, contested }: BudgetAccount, now: Instant): boolean =>
  contested <= now && [...claims.values()].every(({ until }) => until <= now);

const without = (
  claims: ReadonlyMap<PodUid, Claim>,
  isOver: (claim: readonly [PodUid, Claim]) => boolean,
): ReadonlyMap<PodUid, Claim> => new Map([...claims].filter((claim) => !isOver(claim)));
