import type { GroupName } from "../ids.ts";
import type { LifecycleAction, Membership } from "./lifecycle-action.ts";

/** Whether a hook's notice may touch anything, and if not, why. */
export type Admission =
  | { readonly kind: "admitted" }
  | { readonly kind: "refused"; readonly reason: string };

/** What is known when a notice asks to be let in. */
export interface AdmissionRequest {
  readonly action: LifecycleAction;
  /** The state in which an instance is held by such a hook. */
  readonly heldIn: readonly string[];
  readonly membership: Membership;
  readonly managed: readonly GroupName[];
}

/** The states in which a terminate hook holds an instance. */
export const heldTerminating = [
  "Terminating:Wait",
  "Warmed:Terminating:Wait",
  "Warmed:Pending:Wait",
];

/** The states in which a launch hook holds an instance, on its way into service or into a warm pool. */
export const heldLaunching = ["Pending:Wait", "Warmed:Pending:Wait"];

/**
 * Decides whether a notice is about an instance that waits for us.
 *
 * A message is no proof: Auto Scaling has to say the same, so that nobody drains a node by sending one.
 */
export function admission({ action, heldIn, membership, managed }: AdmissionRequest): Admission {
  const { instance, group } = action;
  if (!managed.includes(group))
    return refused(`group ${group} is not managed here (managed: ${managed.join(", ")})`);
  if (membership.kind === "none")
    return refused(`instance ${instance} is in no Auto Scaling group`);
  if (membership.group !== group)
    return refused(`instance ${instance} is in group ${membership.group}, not in ${group}`);
  if (!heldIn.includes(membership.state))
    return refused(`instance ${instance} is ${membership.state}, not ${heldIn[0]}`);
  return { kind: "admitted" };
}

const refused = (reason: string): Admission => ({ kind: "refused", reason });

/** Whether the instance of a notice that was worked on before is back in service: its termination was called off. */
export const isCalledOff = (membership: Membership, receives: number): boolean =>
  receives > 1 && membership.kind === "member" && membership.state === "InService";

/** Whether an instance is on its way to where its launch hook holds it, or not even known yet: its notice came early. */
export const isEarly = (membership: Membership): boolean =>
  membership.kind === "none" || ["Pending", "Warmed:Pending"].includes(membership.state);
