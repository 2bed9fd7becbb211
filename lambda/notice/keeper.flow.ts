import { never } from "../base/time.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Journal } from "../registrations/process.port.ts";
import type { Recurring } from "./background-task.flow.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.flow.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";
import { done, type Outcome, type Pass, resultOf } from "./outcome.ts";

/** A hook that keeps an instance from ending while work on it goes on. */
export interface HookKeeper {
  readonly kind: "hook";
  readonly action: LifecycleAction;
  readonly heartbeats: Heartbeats;
  /** Whether an instance whose drain is not done at its deadline goes on, or is kept. */
  readonly atDeadline: "go on" | "keep";
}

/** What keeps an instance from ending while work on it goes on: a hook, or nothing. */
export type Keeper = HookKeeper | { readonly kind: "none" };

/** The heartbeats that a keeper needs from time to time. */
export const heartbeatsFor = (keeper: Keeper): Recurring<Heartbeat> =>
  keeper.kind === "none"
    ? { due: () => never, work: async () => "kept" }
    : { due: () => keeper.heartbeats.due(), work: () => keeper.heartbeats.send() };

const completedAlready =
  "it was completed already, by another delivery of the notice or by somebody else";

/** The outcome of work whose hook was no longer active at its end: a node that is drained is drained all the same. */
function completedBefore({ hook }: LifecycleAction, outcome: Outcome, journal: Journal): Outcome {
  if (outcome.kind !== "drained" && outcome.kind !== "forced")
    return { kind: "released-elsewhere" };
  journal.record({ kind: "warning", about: `hook ${hook}`, warnings: [completedAlready] });
  return outcome;
}

/** Releases an instance as the last step: completes its hook, if it has one. */
export async function release(
  keeper: Keeper,
  found: Outcome,
  { groups, journal }: Pick<Ports, "groups" | "journal">,
): Promise<Pass> {
  if (keeper.kind === "none") return done(found);
  const { action, atDeadline } = keeper;
  const isKept = atDeadline === "keep" && found.kind === "expired";
  const outcome: Outcome = isKept ? { ...found, kind: "kept" } : found;
  const result = resultOf(outcome);
  const answer = await groups.complete(action, result);
  if (answer === "no-active-action") return done(completedBefore(action, outcome, journal));
  journal.record({ kind: "hook-completed", action, result });
  return done(outcome);
}
