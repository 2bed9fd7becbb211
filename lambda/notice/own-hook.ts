import { Fault } from "../base/fault.ts";
import type { HeldTransition, HookTerms, LifecycleAction } from "./lifecycle-action.ts";

/** A notice about a hook, and what the hook has to be. */
export interface HookClaim {
  readonly action: LifecycleAction;
  /** The transition of the hook. In some states a hook of either kind may hold an instance. */
  readonly transition: HeldTransition;
  /** The ARNs that the hooks of this deployment notify; empty where the function does not know them. */
  readonly hookTargets: readonly string[];
}

/**
 * Says why a hook is not the one that a notice claims; empty if it may be, or could not be read.
 *
 * A group may have hooks of others, and a forged notice can name one of them: the function would complete it.
 */
export function objectionTo(
  hook: Fault | Omit<HookTerms, "heartbeatTimeout"> | "absent",
  { action, transition, hookTargets }: HookClaim,
): string {
  if (hook instanceof Fault) return "";
  const { hook: name, group, token } = action;
  if (hook === "absent") return `group ${group} has no hook ${name}`;
  const title = `hook ${name} of group ${group}`;
  if (hook.transition !== "unknown" && hook.transition !== transition)
    return `${title} is for ${hook.transition} instances`;
  if (hookTargets.length === 0 || hookTargets.includes(hook.target)) return "";
  if (hook.target !== "") return `${title} notifies ${hook.target}, not this deployment`;
  // EventBridge tells of a hook that notifies nobody, and its event has the token.
  return token === "unsaid" ? `${title} notifies nobody, and the notice has no token` : "";
}
