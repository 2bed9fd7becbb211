import { Fault, faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { Ec2Instance } from "../group/ec2-instance.ts";
import { needsTags } from "../group/managed-group.ts";
import type { Membership } from "../group/membership.ts";
import { type AdmissionRequest, admission } from "./admission.ts";
import { faultEntry } from "./journal-of.flow.ts";
import type { HeldTransition, HookTerms, LifecycleAction } from "./lifecycle-action.ts";
import type { PassPorts } from "./notice.port.ts";
import type { Ignorance } from "./outcome.ts";

/** An instance that its hook holds for us. */
export interface HeldByHook extends HookTerms {
  readonly kind: "held";
  /** Whether the hook is held by heartbeats, or they are denied, so that it holds its instance for its timeout alone. */
  readonly heartbeats: "denied" | "taken";
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
  /** The lifecycle state in which it is held, such as `Terminating:Wait`; empty where that could not be read. */
  readonly state: string;
}

/** An instance that is not held as its notice claims, and why. */
export interface NotHeld extends Ignorance {
  readonly kind: "not-held";
  readonly membership: Membership;
}

/** A notice that asks whether its instance is held. */
interface GuardRequest extends Omit<AdmissionRequest, "membership" | "tags"> {
  /** What the hook has to be for. In some states a hook of either kind may hold an instance. */
  readonly transition: HeldTransition;
  /** How long the hooks of this deployment wait for a heartbeat. */
  readonly usualTimeout: Duration;
}

type GuardPorts = Pick<PassPorts, "groups" | "instances" | "journal">;

/**
 * Asks Auto Scaling whether a notice is true before anything is touched.
 *
 * The heartbeat proves the token: Auto Scaling accepts only the token of the action that is active now. The role of the
 * function lets it send heartbeats for managed groups only, so one that is taken also proves what cannot be read.
 */
export async function guard(
  request: GuardRequest,
  ports: GuardPorts,
): Promise<HeldByHook | NotHeld> {
  const { action } = request;
  const claim = await claimOf(request, ports);
  const membership = claim.membership === "unread" ? unknownMember : claim.membership;
  const admitted = admission({ ...request, ...claim });
  if (admitted.kind === "refused") return { ...admitted, kind: "not-held", membership };
  const ec2Instance = ports.instances.describe(action.instance);
  ec2Instance.catch(() => undefined); // whoever needs the answer awaits it again
  const hook = await hookOf(request, claim.unproven, ports);
  if ("reason" in hook) return { ...hook, kind: "not-held", membership };
  const { state: listed, ...found } = claim.group ?? (await groupOf(action, ports));
  const state = membership.kind === "member" ? membership.state : listed;
  return { kind: "held", ec2Instance, ...hook, ...found, state };
}

const unknownMember = { kind: "none" } as const;

/** What Auto Scaling says of an instance and its group before its hook is asked. */
interface Claim extends Pick<AdmissionRequest, "membership" | "tags"> {
  /** The group, if its tags had to be read. */
  readonly group?: HeldGroup;
  /** Why something could not be read that the heartbeat has to prove. */
  readonly unproven: Fault | "none";
}

async function claimOf({ action, managed }: GuardRequest, ports: GuardPorts): Promise<Claim> {
  const said = await unlessDenied(ports.groups.membership(action.instance), ports);
  const member =
    said instanceof Fault
      ? ({ membership: "unread", unproven: said } as const)
      : ({ membership: said, unproven: "none" } as const);
  if (!needsTags(managed, action.group)) return { ...member, tags: {} };
  // The group is asked in each pass, so a tag counts from the moment when it is there.
  const group = await groupOf(action, ports);
  const { tags, unread } = group;
  if (unread === "none") return { ...member, group, tags };
  return { ...member, group, tags: "unread", unproven: unread };
}

/** The answer to a call, or the fault that its denial is: another call may answer in its place. */
async function unlessDenied<T>(
  call: Promise<T>,
  { journal }: Pick<PassPorts, "journal">,
): Promise<Fault | T> {
  try {
    return await call;
  } catch (cause) {
    const fault = faultOf(cause);
    if (fault.code !== "aws.denied") throw fault;
    journal.record(faultEntry(fault));
    return fault;
  }
}

type Held = HookTerms & Pick<HeldByHook, "heartbeats">;

/** What the hook is like, while it is held by a heartbeat. Only a heartbeat that is taken makes up for what could not be read. */
async function hookOf(
  { action, transition, usualTimeout }: GuardRequest,
  unproven: Fault | "none",
  ports: GuardPorts,
): Promise<Held | Ignorance> {
  const { groups, journal } = ports;
  const { group, hook, instance, token } = action;
  const [beat, terms] = await Promise.all([
    unlessDenied(groups.heartbeat(action), ports),
    unlessDenied(groups.hook(group, hook), ports),
  ]);
  if (terms === "absent") return notHeld(`group ${group} has no hook ${hook}`);
  const isDenied = beat instanceof Fault;
  const known = terms instanceof Fault ? unreadTerms : terms;
  if (isOther(known, transition))
    return notHeld(`hook ${hook} of group ${group} is for ${known.transition} instances`);
  if (beat === "no-active-action")
    return notHeld(`no active lifecycle action of ${instance} has the token ${token}`);
  if (isDenied && unproven !== "none") throw unproven;
  if (!isDenied) journal.record({ kind: "heartbeat", hook, instance });
  return { heartbeatTimeout: usualTimeout, ...known, heartbeats: isDenied ? "denied" : "taken" };
}

const unreadTerms = { transition: "unknown", onTimeout: "unknown" } as const;

const isOther = ({ transition: its }: Pick<HookTerms, "transition">, wanted: HeldTransition) =>
  its !== "unknown" && its !== wanted;

const notHeld = (reason: string): Ignorance => ({ why: "not held", reason });

interface HeldGroup extends Pick<HeldByHook, "onAbandon" | "peers" | "state" | "tags"> {
  readonly unread: Fault | "none";
}

const unknownGroup: HeldGroup = {
  peers: [],
  tags: {},
  state: "",
  onAbandon: "terminate",
  unread: "none",
};

/** The group of a held instance. One that cannot be read must not hold it for longer than the work on its instance may take. */
async function groupOf(
  { group, instance }: LifecycleAction,
  { groups }: Pick<PassPorts, "groups">,
): Promise<HeldGroup> {
  try {
    const found = await groups.group(group);
    if (found === "absent") return unknownGroup;
    const { instances, tags, onAbandon } = found;
    const peers = instances.filter(
      (one) => one.state === "Terminating:Wait" && one.id !== instance,
    );
    const state = instances.find(({ id }) => id === instance)?.state ?? "";
    return { peers: peers.map(({ id }) => id), tags, onAbandon, state, unread: "none" };
  } catch (cause) {
    return { ...unknownGroup, unread: faultOf(cause) };
  }
}
