import { Fault, faultOf } from "../base/fault.ts";
import { type Duration, type Instant, minutes, never } from "../base/time.ts";
import type { Recurring } from "./background-task.flow.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.flow.ts";
import type {
  ActionResult,
  HeldTransition,
  HookTerms,
  LifecycleAction,
} from "./lifecycle-action.ts";
import type { PassPorts } from "./notice.port.ts";
import { type AnyOutcome, type CommonOutcome, done, type Pass } from "./outcome.ts";

/** A hook that keeps an instance from ending while work on it goes on. */
export interface HookKeeper {
  readonly kind: "hook";
  readonly action: LifecycleAction;
  readonly transition: HeldTransition;
  readonly heartbeats: Heartbeats;
  /** The fate of the instance when the hook times out. */
  readonly onTimeout: HookTerms["onTimeout"];
  /** When the function gives up holding a hook that it may not complete. @default never */
  readonly letsGoFrom?: Instant;
  /** The fate of an instance whose drain is not done at its deadline. */
  readonly atDeadline: "go on" | "keep";
}

/** The hold on an instance while work on it goes on: a hook, or nothing. */
export type Keeper = HookKeeper | { readonly kind: "none" };

/**
 * Whether its notice has no token, by which Auto Scaling could tell that it is its own: it was sent again, or forged. Such a notice
 * is only looked at briefly and rests long while nothing moves, because many of them would keep other notices waiting.
 */
export const isTokenless = (keeper: Keeper): boolean =>
  keeper.kind === "hook" && keeper.action.token === "unsaid";

/** The least rest of such a notice after a pass in which nothing moved. */
export const quietRest = (keeper: Keeper): { readonly leastRest?: Duration } =>
  isTokenless(keeper) ? { leastRest: minutes(1) } : {};

/** The heartbeats that a keeper needs from time to time. */
export const heartbeatsFor = (keeper: Keeper): Recurring<Heartbeat> =>
  keeper.kind === "none"
    ? { due: () => never, work: async () => "kept" }
    : { due: () => keeper.heartbeats.due(), work: () => keeper.heartbeats.send() };

const completedAlready =
  "it was completed already, by another delivery of the notice or by somebody else";

/** The end of the work on a held instance. */
interface HookEnd {
  readonly result: ActionResult;
  /** `stands` if the outcome holds even though the hook was no longer active: a drained node stays drained. */
  readonly ifCompleted: "lost" | "stands";
}

const usualEnd: HookEnd = { result: "CONTINUE", ifCompleted: "lost" };

/** Releases an instance as the last step: completes its hook, if it has one. */
export async function release<const O extends AnyOutcome>(
  keeper: Keeper,
  outcome: O,
  ports: Pick<PassPorts, "clock" | "groups" | "journal">,
  { result, ifCompleted }: HookEnd = usualEnd,
): Promise<Pass<CommonOutcome | O>> {
  if (keeper.kind === "none") return done(outcome);
  const { action } = keeper;
  const { groups, journal } = ports;
  const answer = await groups.complete(action, result).catch((cause: unknown) => {
    throw letsGo(keeper, result, ports) ? leftAlone(action, cause) : cause;
  });
  if (answer === "no-active-action") {
    if (ifCompleted === "lost") return done({ kind: "released-elsewhere" });
    const about = `hook ${action.hook}`;
    journal.record({ kind: "warning", about, warnings: [completedAlready] });
    return done(outcome);
  }
  journal.record({ kind: "hook-completed", action, result });
  return done(outcome);
}

/** Whether to give up a hook that cannot be completed. A hook whose timeout would end an instance that has to stay is still held. */
function letsGo(
  { letsGoFrom = never, onTimeout, transition }: HookKeeper,
  result: ActionResult,
  { clock }: Pick<PassPorts, "clock">,
): boolean {
  return clock.now() >= letsGoFrom && (onTimeout === result || !keepsInstance(transition, result));
}

/** Whether the instance stays once its hook is completed with this result. */
export const keepsInstance = (transition: HeldTransition, result: ActionResult): boolean =>
  result === (transition === "launching" ? "CONTINUE" : "ABANDON");

function leftAlone({ hook, instance }: LifecycleAction, cause: unknown): Fault {
  const fault = faultOf(cause);
  if (fault.code !== "aws.denied") return fault;
  const said = `the work on ${instance} is over, and hook ${hook} is left to its timeout: ${fault.said}`;
  return new Fault("hook.uncompleted", said, { cause });
}
