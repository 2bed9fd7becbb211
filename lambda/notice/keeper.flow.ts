import { Fault, faultOf } from "../base/fault.ts";
import { type Instant, never } from "../base/time.ts";
import type { Recurring } from "./background-task.flow.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.flow.ts";
import type { Journal } from "./journal.port.ts";
import type { HookTerms, LifecycleAction } from "./lifecycle-action.ts";
import type { PassPorts } from "./notice.port.ts";
import { done, type Outcome, type Pass, resultOf, spares } from "./outcome.ts";
import type { PassEntry } from "./pass-entry.ts";

/** A hook that keeps an instance from ending while work on it goes on. */
export interface HookKeeper {
  readonly kind: "hook";
  readonly action: LifecycleAction;
  readonly heartbeats: Heartbeats;
  /** What becomes of the instance when nobody holds or completes the hook. */
  readonly onTimeout: HookTerms["onTimeout"];
  /** From when on a hook is held no longer that the function may not complete. @default it is held on */
  readonly letsGoFrom?: Instant;
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
function completedBefore(
  { hook }: LifecycleAction,
  outcome: Outcome,
  journal: Journal<PassEntry>,
): Outcome {
  if (outcome.kind !== "drained" && outcome.kind !== "forced")
    return { kind: "released-elsewhere" };
  journal.record({ kind: "warning", about: `hook ${hook}`, warnings: [completedAlready] });
  return outcome;
}

/** Releases an instance as the last step: completes its hook, if it has one. */
export async function release(
  keeper: Keeper,
  found: Outcome,
  ports: Pick<PassPorts, "clock" | "groups" | "journal">,
): Promise<Pass> {
  if (keeper.kind === "none") return done(found);
  const { action, atDeadline } = keeper;
  const isKept = atDeadline === "keep" && found.kind === "expired";
  const outcome: Outcome = isKept ? { ...found, kind: "kept" } : found;
  const result = resultOf(outcome);
  const { groups, journal } = ports;
  const answer = await groups.complete(action, result).catch((cause: unknown) => {
    throw letsGo(keeper, outcome, ports) ? leftAlone(action, cause) : cause;
  });
  if (answer === "no-active-action") return done(completedBefore(action, outcome, journal));
  journal.record({ kind: "hook-completed", action, result });
  return done(outcome);
}

/** Whether a hook that cannot be completed is held no longer. One whose end would end an instance that is to stay is held on. */
function letsGo(
  { letsGoFrom = never, onTimeout }: HookKeeper,
  outcome: Outcome,
  { clock }: Pick<PassPorts, "clock">,
): boolean {
  const isSame = onTimeout === resultOf(outcome);
  return clock.now() >= letsGoFrom && (isSame || !spares(outcome));
}

function leftAlone({ hook, instance }: LifecycleAction, cause: unknown): Fault {
  const fault = faultOf(cause);
  if (fault.code !== "aws.denied") return fault;
  const said = `the work on ${instance} is over, and hook ${hook} is left to its timeout: ${fault.said}`;
  return new Fault("hook.uncompleted", said, { cause });
}
