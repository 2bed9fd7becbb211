import { Fault, faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { Ec2Instance } from "../group/ec2-instance.ts";
import { needsTags } from "../group/managed-group.ts";
import type { Membership } from "../group/membership.ts";
import { type AdmissionRequest, admission } from "./admission.ts";
import { faultEntry } from "./journal-of.flow.ts";
import type { ActionAnswer, HookTerms, LifecycleAction } from "./lifecycle-action.ts";
import type { NamedCluster, PassPorts } from "./notice.port.ts";
import type { Ignorance } from "./outcome.ts";
import { type HookClaim, objectionTo } from "./own-hook.ts";

/** An instance that its hook holds for us. */
export interface HeldByHook extends Pick<HookTerms, "heartbeatTimeout" | "onTimeout"> {
  readonly kind: "held";
  /**
   * `taken` if heartbeats hold the hook; `denied` if IAM denies them, so that it holds its instance only for its timeout;
   * `missed` if this one has failed otherwise, such as by throttling, and the next one may not.
   */
  readonly heartbeats: "denied" | "missed" | "taken";
  /** Other instances of the group that are held like this one. */
  readonly peers: readonly InstanceId[];
  /** The tags of the group. */
  readonly tags: Labels;
  /** The fault that kept the group from being read; `none` if it was read. */
  readonly unread: Fault | "none";
  /** The fate of the instance if the hook is abandoned. */
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
interface GuardRequest extends HookClaim, Omit<AdmissionRequest, "membership" | "tags"> {
  /** The heartbeat timeout of this deployment's hooks. */
  readonly usualTimeout: Duration;
}

type GuardPorts = NamedCluster & Pick<PassPorts, "groups" | "instances" | "journal">;

/**
 * Asks Auto Scaling whether a notice is true before anything is touched.
 *
 * The heartbeat proves the token: Auto Scaling accepts only the token of the action that is active now. IAM lets the
 * function send heartbeats only for managed groups, so an accepted heartbeat also proves a membership or tags that could
 * not be read. No heartbeat is sent for a cluster that EKS does not know: it would only hold the instance for longer.
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
  ec2Instance.catch(() => undefined); // what needs the answer awaits it again
  await ports.clusterKnown();
  const hook = await hookOf(request, claim.unproven, ports);
  if ("reason" in hook) return { ...hook, kind: "not-held", membership };
  const group = claim.group ?? (await groupOf(action, ports));
  return {
    kind: "held",
    heartbeatTimeout: hook.heartbeatTimeout,
    onTimeout: hook.onTimeout,
    heartbeats: hook.heartbeats,
    peers: group.peers,
    tags: group.tags,
    unread: group.unread,
    onAbandon: group.onAbandon,
    ec2Instance,
    state: membership.kind === "member" ? membership.state : group.state,
  };
}

const unknownMember = { kind: "none" } as const;

/** Auto Scaling's answer about an instance and its group before the heartbeat. */
interface Claim extends Pick<AdmissionRequest, "membership" | "tags"> {
  /** The group, if its tags had to be read. */
  readonly group?: HeldGroup;
  /** The fault that left something unread, which the heartbeat then has to prove; `none` if all was read. */
  readonly unproven: Fault | "none";
}

async function claimOf({ action, managed }: GuardRequest, ports: GuardPorts): Promise<Claim> {
  const said = await unlessDenied(ports.groups.membership(action.instance), ports);
  const member =
    said instanceof Fault
      ? ({ membership: "unread", unproven: said } as const)
      : ({ membership: said, unproven: "none" } as const);
  if (!needsTags(managed, action.group)) return { ...member, tags: {} };
  // Each pass reads the group, so a new tag counts at once.
  const group = await groupOf(action, ports);
  const { tags, unread } = group;
  if (unread === "none") return { ...member, group, tags };
  return { ...member, group, tags: "unread", unproven: unread };
}

/** The answer to a call, or the fault if IAM denies the call: another call may answer in its place. */
const unlessDenied = <T>(call: Promise<T>, ports: Pick<PassPorts, "journal">): Promise<Fault | T> =>
  unless(({ code }) => code === "aws.denied", call, ports);

/** The answer to a heartbeat, or its fault: work goes on without it, for the hook may time out before one is taken again. */
const unlessMissed = <T>(call: Promise<T>, ports: Pick<PassPorts, "journal">): Promise<Fault | T> =>
  unless(({ code, retryable }) => code === "aws.denied" || retryable, call, ports);

async function unless<T>(
  isBorne: (fault: Fault) => boolean,
  call: Promise<T>,
  { journal }: Pick<PassPorts, "journal">,
): Promise<Fault | T> {
  try {
    return await call;
  } catch (cause) {
    const fault = faultOf(cause);
    if (!isBorne(fault)) throw fault;
    journal.record(faultEntry(fault));
    return fault;
  }
}

type Held = Pick<HeldByHook, "heartbeatTimeout" | "heartbeats" | "onTimeout">;

/** The terms of the hook, after a heartbeat. Only an accepted heartbeat makes up for what could not be read. */
async function hookOf(
  request: GuardRequest,
  unproven: Fault | "none",
  ports: GuardPorts,
): Promise<Held | Ignorance> {
  const { hook, instance, token } = request.action;
  const own = await ownHook(request, ports);
  if ("reason" in own) return own;
  const { beat, terms } = own;
  if (beat === "no-active-action")
    return notHeld(`no active lifecycle action of ${instance} has the token ${token}`);
  const heartbeats = heartbeatsBy(beat);
  if (heartbeats !== "taken" && unproven !== "none")
    throw heartbeats === "missed" ? beat : unproven;
  if (heartbeats === "taken") ports.journal.record({ kind: "heartbeat", hook, instance });
  return {
    heartbeatTimeout: terms.heartbeatTimeout ?? request.usualTimeout,
    onTimeout: terms.onTimeout,
    heartbeats,
  };
}

function heartbeatsBy(beat: ActionAnswer | Fault): HeldByHook["heartbeats"] {
  if (!(beat instanceof Fault)) return "taken";
  return beat.code === "aws.denied" ? "denied" : "missed";
}

/** Sends a heartbeat to the hook and reads its terms, unless it is not the hook that the notice claims. */
async function ownHook(request: GuardRequest, ports: GuardPorts) {
  const { action } = request;
  const reading = unlessDenied(ports.groups.hook(action.group, action.hook), ports);
  // Without a token, a hook of somebody else would take the heartbeat.
  const early = action.token === "unsaid" ? objectionTo(await reading, request) : "";
  if (early !== "") return notHeld(early);
  const beating = unlessMissed(ports.groups.heartbeat(action), ports);
  const [beat, terms] = await Promise.all([beating, reading]);
  const late = objectionTo(terms, request);
  if (terms === "absent" || late !== "") return notHeld(late);
  return { beat, terms: terms instanceof Fault ? unreadTerms : terms };
}

const unreadTerms = { heartbeatTimeout: undefined, onTimeout: "unknown" } as const;

const notHeld = (reason: string): Ignorance => ({ why: "not held", reason });

type HeldGroup = Pick<HeldByHook, "onAbandon" | "peers" | "state" | "tags" | "unread">;

const unknownGroup: HeldGroup = {
  peers: [],
  tags: {},
  state: "",
  onAbandon: "terminate",
  unread: "none",
};

/** Reads the group of a held instance. A group that cannot be read must not keep the instance held, so its fault is in the answer. */
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
