import type { InstanceId } from "../../domain/ids.ts";
import type { Labels } from "../../domain/labels.ts";
import { type AdmissionRequest, admission } from "../../domain/notice/admission.ts";
import type { LifecycleAction, Membership } from "../../domain/notice/lifecycle-action.ts";
import type { Duration } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import type { ScalingGroups } from "../../ports/scaling-groups.ts";

/** Whether an instance is held for us, and if so for how long without a heartbeat. */
export type Hold =
  | {
      readonly kind: "held";
      readonly heartbeatTimeout: Duration;
      /** Other instances of the group that are held like this one. */
      readonly peers: readonly InstanceId[];
      readonly tags: Labels;
      /** Where in its life it is held, such as `Terminating:Wait`. */
      readonly state: string;
    }
  | { readonly kind: "not-held"; readonly reason: string; readonly membership: Membership };

/**
 * Asks Auto Scaling whether a notice is true before anything is touched.
 *
 * The heartbeat is the proof of the token: it is taken for the action that is active now and for no other.
 */
export async function guard(
  claim: Omit<AdmissionRequest, "membership">,
  { groups, journal }: Pick<Ports, "groups" | "journal">,
): Promise<Hold> {
  const { action } = claim;
  const { group, hook, instance } = action;
  const membership = await groups.membership(instance);
  const admitted = admission({ ...claim, membership });
  if (admitted.kind === "refused") return notHeld(admitted.reason, membership);
  const heartbeatTimeout = await groups.heartbeatTimeout(group, hook);
  if (heartbeatTimeout === "absent")
    return notHeld(`group ${group} has no hook ${hook}`, membership);
  if ((await groups.heartbeat(action)) === "no-active-action")
    return notHeld(
      `no active lifecycle action of ${instance} has the token ${action.token}`,
      membership,
    );
  journal.record({ kind: "heartbeat", hook, instance });
  const { state } = { state: "", ...membership };
  return { kind: "held", heartbeatTimeout, state, ...(await companyOf(action, groups)) };
}

async function companyOf({ group, instance }: LifecycleAction, groups: ScalingGroups) {
  const found = await groups.group(group);
  if (found === "absent") return { peers: [], tags: {} };
  return { peers: found.heldTerminating.filter((peer) => peer !== instance), tags: found.tags };
}

const notHeld = (reason: string, membership: Membership): Hold => ({
  kind: "not-held",
  reason,
  membership,
});
