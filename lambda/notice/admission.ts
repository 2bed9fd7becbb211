import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { isManaged, managedText } from "../group/managed-group.ts";
import type { Membership } from "../group/membership.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";
import type { Ignorance } from "./outcome.ts";

/** The judgement of a hook's notice, which may touch something only if it is admitted. */
export type Admission = { readonly kind: "admitted" } | ({ readonly kind: "refused" } & Ignorance);

/** A notice that asks for admission, and what is known of its instance. */
export interface AdmissionRequest {
  readonly action: LifecycleAction;
  /** The states in which such a hook holds an instance. */
  readonly heldIn: readonly string[];
  /** `unread` where Auto Scaling denies it: then the hook has to prove it. */
  readonly membership: Membership | "unread";
  readonly managed: readonly GroupSelector[];
  /** The tags of the group that the notice names; empty where its name suffices. Of `unread` ones the hook has to prove that they are right. */
  readonly tags: Labels | "unread";
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
 * Decides whether a notice is about an instance that a hook holds for us.
 *
 * A message proves nothing. Auto Scaling has to say the same, so that nobody can drain a node by sending a message.
 */
export function admission({ action, heldIn, membership, ...groups }: AdmissionRequest): Admission {
  const { instance, group } = action;
  const { managed, tags } = groups;
  if (tags !== "unread" && !isManaged(managed, group, tags))
    return refused(
      `group ${group} is not managed here (managed: ${managedText(managed)})`,
      "not managed",
    );
  if (membership === "unread") return { kind: "admitted" };
  if (membership.kind === "none")
    return refused(`instance ${instance} is in no Auto Scaling group`, "no group");
  if (membership.group !== group)
    return refused(`instance ${instance} is in group ${membership.group}, not in ${group}`);
  if (!heldIn.includes(membership.state))
    return refused(`instance ${instance} is ${membership.state}, not ${heldIn[0]}`);
  return { kind: "admitted" };
}

const refused = (reason: string, why: Ignorance["why"] = "not held"): Admission => ({
  kind: "refused",
  why,
  reason,
});

/** Whether the instance is back in service although its notice has been worked on: its termination was called off. */
export const isCalledOff = (membership: Membership, receives: number): boolean =>
  receives > 1 && membership.kind === "member" && membership.state === "InService";

/** Whether a launch notice came early: the hook does not hold its instance yet, or Auto Scaling does not know it yet. */
export const isEarly = (membership: Membership): boolean =>
  membership.kind === "none" || ["Pending", "Warmed:Pending"].includes(membership.state);
