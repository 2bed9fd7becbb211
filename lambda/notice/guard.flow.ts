import { type Fault, faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { Ec2Instance } from "../drain/ec2-instance.ts";
import type { Ports } from "../registrations/ports.ts";
import { type AdmissionRequest, admission } from "./admission.ts";
import type { LifecycleAction, Membership } from "./lifecycle-action.ts";
import { needsTags } from "./managed-group.ts";
import type { Ignorance } from "./outcome.ts";

/** An instance that its hook holds for us. */
export interface HeldByHook {
  readonly kind: "held";
  /** How long the hook holds it without a heartbeat. */
  readonly heartbeatTimeout: Duration;
  /** Other instances of the group that are held like this one. */
  readonly peers: readonly InstanceId[];
  /** The tags of the group. */
  readonly tags: Labels;
  /** Why the group could not be read, so that nothing of it is known; `none` if it was read. */
  readonly unread: Fault | "none";
  /** What happens to the instance if the hook is abandoned. */
  readonly onAbandon: "retain" | "terminate";
  /** The instance as EC2 describes it, read at the same time. */
  readonly ec2Instance: Promise<Ec2Instance | "unknown">;
  /** The lifecycle state in which it is held, such as `Terminating:Wait`. */
  readonly state: string;
}

/** An instance that is not held as its notice claims, and why. */
export interface NotHeld extends Ignorance {
  readonly kind: "not-held";
  readonly membership: Membership;
}

/**
 * Asks Auto Scaling whether a notice is true before anything is touched.
 *
 * The heartbeat proves the token: Auto Scaling accepts only the token of the action that is active now.
 */
export async function guard(
  request: Omit<AdmissionRequest, "membership" | "tags">,
  { groups, instances, journal }: Pick<Ports, "groups" | "instances" | "journal">,
): Promise<HeldByHook | NotHeld> {
  const { action } = request;
  const { group, hook, instance, token } = action;
  const membership = await groups.membership(instance);
  const notHeld = (reason: string, why: Ignorance["why"] = "not held"): NotHeld => ({
    ...{ kind: "not-held", why, reason, membership },
  });
  // The group is asked in each pass, so a tag counts from the moment when it is there.
  const asked = needsTags(request.managed, group) ? await groupOf(action, groups) : undefined;
  const admitted = admission({ ...request, membership, tags: asked?.tags ?? {} });
  if (admitted.kind === "refused") return notHeld(admitted.reason, admitted.why);
  const ec2Instance = instances.describe(instance);
  ec2Instance.catch(() => undefined); // whoever needs the answer awaits it again
  const heartbeatTimeout = await groups.heartbeatTimeout(group, hook);
  if (heartbeatTimeout === "absent") return notHeld(`group ${group} has no hook ${hook}`);
  if ((await groups.heartbeat(action)) === "no-active-action")
    return notHeld(`no active lifecycle action of ${instance} has the token ${token}`);
  journal.record({ kind: "heartbeat", hook, instance });
  const state = membership.kind === "member" ? membership.state : "";
  const found = asked ?? (await groupOf(action, groups).catch(unreadGroup));
  return { kind: "held", heartbeatTimeout, ec2Instance, state, ...found };
}

/** The hook is held by now: a group that cannot be read must not hold it for longer than the work on its instance may take. */
const unreadGroup = (cause: unknown): HeldGroup => ({ ...unknownGroup, unread: faultOf(cause) });

type HeldGroup = Pick<HeldByHook, "onAbandon" | "peers" | "tags" | "unread">;

const unknownGroup: HeldGroup = { peers: [], tags: {}, onAbandon: "terminate", unread: "none" };

async function groupOf(
  { group, instance }: LifecycleAction,
  groups: Ports["groups"],
): Promise<HeldGroup> {
  const found = await groups.group(group);
  if (found === "absent") return unknownGroup;
  const { instances, tags, onAbandon } = found;
  const peers = instances.filter((one) => one.state === "Terminating:Wait" && one.id !== instance);
  return { peers: peers.map(({ id }) => id), tags, onAbandon, unread: "none" };
}
