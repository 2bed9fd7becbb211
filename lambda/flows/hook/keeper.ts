import type { LifecycleAction } from "../../domain/notice/lifecycle-action.ts";
import { done, type Outcome, type Pass, resultOf } from "../../domain/notice/outcome.ts";
import { never } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Recurring } from "../background-task.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.ts";

/** A hook that keeps an instance from ending while work on it goes on. */
export interface HookKeeper {
  readonly kind: "hook";
  readonly action: LifecycleAction;
  readonly heartbeats: Heartbeats;
}

/** What keeps an instance from ending while work on it goes on: a hook, or nothing. */
export type Keeper = HookKeeper | { readonly kind: "none" };

/** The heartbeats that a keeper needs from time to time. */
export const heartbeatsFor = (keeper: Keeper): Recurring<Heartbeat> =>
  keeper.kind === "none"
    ? { due: () => never, work: async () => "kept" }
    : { due: () => keeper.heartbeats.due(), work: () => keeper.heartbeats.send() };

/** Releases an instance as the last step: completes its hook, if it has one. */
export async function release(
  keeper: Keeper,
  outcome: Outcome,
  { groups, journal }: Pick<Ports, "groups" | "journal">,
): Promise<Pass> {
  if (keeper.kind === "none") return done(outcome);
  const { action } = keeper;
  const result = resultOf(outcome);
  const answer = await groups.complete(action, result);
  if (answer === "no-active-action") return done({ kind: "released-elsewhere" });
  journal.record({ kind: "hook-completed", action, result });
  return done(outcome);
}
