import { type Clock, sleepFor } from "../base/clock.port.ts";
import { later, seconds } from "../base/time.ts";
import type { GroupHook, GroupHooks } from "./group-hooks.port.ts";

// IAM knows roles late that the same stack has made, and Auto Scaling sends a test message with the hooks' role at once.
const patience = seconds(60);
const pause = seconds(5);

/** Puts the wanted hooks, then removes the others. */
export async function changeHooks(
  {
    wanted,
    unwanted,
    ifItFails,
  }: {
    readonly wanted: readonly GroupHook[];
    readonly unwanted: readonly GroupHook[];
    /** Whether the hooks that a failed change has put stay. */
    readonly ifItFails: "keep" | "undo";
  },
  { hooks, clock }: { readonly hooks: GroupHooks; readonly clock: Clock },
): Promise<void> {
  const until = later(clock.now(), patience);
  try {
    for (const hook of wanted)
      while (!(await isPut(hook, hooks, () => clock.now() >= until))) await sleepFor(pause, clock);
  } catch (cause) {
    if (ifItFails === "undo") await removeAll(wanted, hooks).catch(() => undefined);
    throw cause;
  }
  await removeAll(unwanted, hooks);
}

async function isPut(hook: GroupHook, hooks: GroupHooks, isLast: () => boolean): Promise<boolean> {
  try {
    await hooks.put(hook);
    return true;
  } catch (cause) {
    if (isLast()) throw cause;
    return false;
  }
}

/** A hook that stays would hold instances until it times out, so one that cannot be removed keeps none of the others. */
async function removeAll(all: readonly GroupHook[], hooks: GroupHooks): Promise<void> {
  const failures: unknown[] = [];
  for (const hook of all) await hooks.remove(hook).catch((cause) => failures.push(cause));
  if (failures.length > 0) throw failures[0];
}
