import type { DrainPolicy, DrainSettings } from "../../domain/drain/drain-policy.ts";
import type { InstanceId } from "../../domain/ids.ts";
import type { Labels } from "../../domain/labels.ts";
import { type Ec2Instance, hasEnded, namesOf } from "../../domain/node/ec2-instance.ts";
import type { Node } from "../../domain/node/node.ts";
import { heldTerminating, isCalledOff } from "../../domain/notice/admission.ts";
import { begunAt, marksCountFrom, tryOwnTime } from "../../domain/notice/begun-at.ts";
import { drainDeadline, goesUnmarkedFrom, holdEnds } from "../../domain/notice/drain-deadline.ts";
import type { LifecycleAction } from "../../domain/notice/lifecycle-action.ts";
import { waitBeforeMarking, waitBeforePass } from "../../domain/notice/next-pass.ts";
import type { Terminating } from "../../domain/notice/notice.ts";
import type { Outcome, Pass } from "../../domain/notice/outcome.ts";
import { between, type Duration, type Instant, later, never, seconds } from "../../domain/time.ts";
import { faultOf } from "../../fault.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { guard, type Hold } from "../hook/guard.ts";
import { type Heartbeats, heartbeatsOf } from "../hook/heartbeats.ts";
import { markInTime } from "../mark/mark-in-time.ts";
import { markPeers } from "../mark/mark-peers.ts";
import { undoMark } from "../mark/undo-mark.ts";
import { type Cleared, clearNode } from "./clear-node.ts";

/** A notice of a terminating instance, as often as it has been received. */
export interface DrainRequest {
  readonly notice: Terminating;
  readonly receives: number;
}

/** One pass of a drain: empties the node of a terminating instance, then releases the instance. */
export async function drainNode(
  request: DrainRequest,
  policy: DrainPolicy,
  ports: Ports,
): Promise<Pass> {
  const { action } = request.notice;
  const passEnds = later(ports.clock.now(), policy.pass);
  const claim = { action, heldIn: heldTerminating, managed: policy.managed };
  const hold = await guard(claim, ports);
  if (hold.kind === "not-held") return leaveAlone(hold, { request, policy, ports });
  const { heartbeatTimeout, peers, tags } = hold;
  const heartbeats = heartbeatsOf(action, heartbeatTimeout, ports);
  const settings = settingsOf(action, policy, { tags, ports });
  const drain = { request, settings, heartbeatTimeout, peers, heartbeats, passEnds, ports };
  try {
    return await drainHeld(drain);
  } catch (cause) {
    return endInTime(cause, drain);
  }
}

interface Unwanted {
  readonly request: DrainRequest;
  readonly policy: DrainPolicy;
  readonly ports: Ports;
}

type NotHeld = Extract<Hold, { readonly kind: "not-held" }>;

/** Touches nothing, but for our own mark on a node whose termination was called off in the middle of its drain. */
async function leaveAlone({ reason, membership }: NotHeld, unwanted: Unwanted): Promise<Pass> {
  const { request, policy, ports } = unwanted;
  const { notice, receives } = request;
  if (isCalledOff(membership, receives))
    await undoMark(notice.action.instance, policy.settingsFor({}).settings.taints, ports);
  return done({ kind: "ignored", reason });
}

interface Drain {
  readonly request: DrainRequest;
  readonly settings: DrainSettings;
  readonly heartbeatTimeout: Duration;
  readonly peers: readonly InstanceId[];
  readonly heartbeats: Heartbeats;
  readonly passEnds: Instant;
  readonly ports: Ports;
}

async function drainHeld(drain: Drain): Promise<Pass> {
  const { request, settings, heartbeatTimeout, peers, heartbeats, passEnds, ports } = drain;
  const { action } = request.notice;
  const ec2Instance = await ports.instances.describe(action.instance);
  const node = await nodeOf(action, ec2Instance, ports);
  if (node === "absent") return release(action, { kind: "no-node" }, ports);
  if (hasEnded(node, ec2Instance)) return release(action, { kind: "instance-ended" }, ports);
  const notBefore = marksCountFrom(request.notice, ports.clock.now());
  const wish = { taints: settings.taints, notBefore };
  const mark = await markInTime(node, { ...wish, until: unmarkedFrom(drain) }, ports);
  if (mark.kind === "gone") return release(action, { kind: "no-node" }, ports);
  if (mark.kind === "not yet") return { kind: "again", wait: seconds(5) };
  await markPeers(peers, wish, ports);

  const now = ports.clock.now();
  const begun = begunAt(request.notice, mark.kind === "marked" ? mark.since : now, now);
  const deadline = drainDeadline(begun, settings, heartbeatTimeout);
  const holds = holdEnds(begun, heartbeatTimeout);
  const { instance } = action;
  const unmarked = { mark: "missing", marked: begun, when: "before" } as const;
  const marking =
    mark.kind === "marked"
      ? { mark: "set" as const, marked: mark.since, when: mark.when }
      : unmarked;
  const emptying = { node, instance, ...marking, settings, heartbeats, deadline, holds, passEnds };
  const cleared = await clearNode(emptying, ports);
  return conclude(cleared, { request, begun, deadline, heartbeatTimeout, ports });
}

/** From when on a node is drained without a mark; at once where nobody knows when the drain has begun. */
function unmarkedFrom(drain: Drain): Instant {
  const now = drain.ports.clock.now();
  const own = tryOwnTime(drain.request.notice, now);
  return own === undefined ? now : goesUnmarkedFrom(own, ownDeadline(drain));
}

/** When a drain is over by its notice's own time, without which nobody knows before the node is marked. */
function ownDeadline({ request, settings, heartbeatTimeout, ports }: Drain): Instant {
  const own = tryOwnTime(request.notice, ports.clock.now());
  return own === undefined ? never : drainDeadline(own, settings, heartbeatTimeout);
}

/**
 * A drain that cannot go on is tried again until its deadline; then the instance is released all the same,
 * for what is broken must not hold it for days.
 */
async function endInTime(cause: unknown, drain: Drain): Promise<Pass> {
  const { request, heartbeatTimeout, ports } = drain;
  const { clock, journal } = ports;
  const fault = faultOf(cause);
  const left = between(clock.now(), ownDeadline(drain));
  // Towards the deadline it is tried again ever sooner, for there is still something to force.
  if (left > 0) throw fault.within(Math.min(heartbeatTimeout / 3, Math.max(1000, left / 10)));
  journal.record(faultEntry(fault));
  return release(request.notice.action, { kind: "expired", left: [fault.message] }, ports);
}

interface Overrides {
  readonly tags: Labels;
  readonly ports: Ports;
}

function settingsOf(
  { group }: LifecycleAction,
  policy: DrainPolicy,
  { tags, ports }: Overrides,
): DrainSettings {
  const { settings, refused } = policy.settingsFor(tags);
  if (refused.length > 0)
    ports.journal.record({ kind: "warning", about: `group ${group}`, warnings: refused });
  return settings;
}

async function nodeOf(
  { instance }: LifecycleAction,
  ec2Instance: Ec2Instance | "unknown",
  ports: Ports,
): Promise<Node | "absent"> {
  const node = await ports.cluster.findNode(instance, namesOf(ec2Instance));
  if (node !== "absent") ports.journal.record({ kind: "node-found", node: node.name, instance });
  return node;
}

interface Circumstances {
  readonly request: DrainRequest;
  readonly begun: Instant;
  readonly deadline: Instant;
  readonly heartbeatTimeout: Duration;
  readonly ports: Ports;
}

async function conclude(cleared: Cleared, circumstances: Circumstances): Promise<Pass> {
  const { request, ports } = circumstances;
  const { action } = request.notice;
  switch (cleared.kind) {
    case "cleared":
      return release(action, cleared.outcome, ports);
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "changed":
      if (cleared.how === "gone") return release(action, { kind: "no-node" }, ports);
      return { kind: "again", wait: waitBeforeMarking(handbackOf(circumstances)) };
    case "unfinished":
      return handBack(cleared, circumstances);
  }
}

/** Completes the hook: the last thing a drain does, whatever came of it. */
async function release(action: LifecycleAction, outcome: Outcome, ports: Ports): Promise<Pass> {
  const answer = await ports.groups.complete(action, "CONTINUE");
  if (answer === "no-active-action") return done({ kind: "released-elsewhere" });
  ports.journal.record({ kind: "hook-completed", action, result: "CONTINUE" });
  return done(outcome);
}

type Unfinished = Extract<Cleared, { readonly kind: "unfinished" }>;

function handBack({ left, progressed, nextForce }: Unfinished, circumstances: Circumstances): Pass {
  const { ports } = circumstances;
  const wait = waitBeforePass({ ...handbackOf(circumstances), progressed, nextForce });
  ports.journal.record({ kind: "pass-ended", left, wait });
  return { kind: "again", wait };
}

const handbackOf = (circumstances: Circumstances) => ({
  ...circumstances,
  now: circumstances.ports.clock.now(),
  since: circumstances.begun,
  receives: circumstances.request.receives,
});

const done = (outcome: Outcome): Pass => ({ kind: "done", outcome });
