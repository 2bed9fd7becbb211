import type { Fault } from "../base/fault.ts";
import { type InstanceId, nodeName } from "../base/ids.ts";
import { between, type Duration, type Instant, never, seconds } from "../base/time.ts";
import { vpcOf } from "../group/ec2-instance.ts";
import { endInTime, type PassWork } from "../notice/end-in-time.flow.ts";
import { type Keeper, release } from "../notice/keeper.flow.ts";
import { type Pass, soonAgain } from "../notice/outcome.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import { clearNode, conclude } from "./clear-node.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import {
  type BoundsAtStart,
  boundsByTrace,
  causeOf,
  type DrainBounds,
  markedBounds,
  marksCountFrom,
  prolonged,
  retryWithin,
} from "./drain-bounds.ts";
import type { Emptying } from "./emptying.flow.ts";
import { hasEnded } from "./has-ended.ts";
import { boundsAnew, tryLateSince } from "./late-begin.ts";
import {
  type DrainTerms,
  type MarkedInTime,
  markOwn,
  type SoughtInstance,
  seek,
} from "./mark-own.flow.ts";
import { markPeers } from "./mark-peers.flow.ts";
import { lateSinceAnnotation, tryWrittenAt } from "./marking.ts";
import type { Node } from "./node.ts";
import { staysFrom } from "./turn.ts";

/** An instance to drain, for whatever kind of notice. */
export interface Drain extends DrainTerms, SoughtInstance {
  /** How often the notice has been received. */
  readonly receives: number;
  readonly keeper: Keeper;
  /** Other instances that will terminate soon as well. */
  readonly peers: readonly InstanceId[];
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
  /** How long it rests once its node is marked, so that those that go with it are marked before its pods leave. @default not at all */
  readonly headStart?: Duration;
  /** Why the tags of its group could not be read: they may forbid what is done here. @default they were read */
  readonly unread?: Fault | "none";
}

/** One pass over an instance: empties its node within the bounds of the drain, then releases the instance. */
export async function drainInstance(drain: Drain, ports: DrainPorts): Promise<Pass> {
  const found = await endInTime(
    passOf(drain, () => findAndMarkAll(drain, ports), ports),
    ports,
  );
  if (!("bounds" in found)) return found;
  const bounded = { ...drain, start: prolonged(drain.start, found.bounds) };
  return endInTime(
    passOf(bounded, () => clearAndConclude(found, drain, ports), ports),
    ports,
  );
}

/** Work on a drain, which is given up if it still fails at the deadline. */
const passOf = <Result>(
  drain: Drain,
  work: () => Promise<Result>,
  ports: DrainPorts,
): PassWork<Result> => ({
  start: drain.start,
  work,
  retryWithin: (now) => retryWithin(drain.start, now),
  giveUp: (reason) => giveUp({ ...drain, bounds: drain.start.bounds, reason }, ports),
});

async function findAndMarkAll(drain: Drain, ports: DrainPorts): Promise<Emptying | Pass> {
  const { instance, peers, unread = "none" } = drain;
  if (unread !== "none") throw unread;
  const marking = findAndMark(drain, ports);
  // The other drains of this process leave the node to this one from now on, not only once EC2 has given its name.
  ports.marks.keep(instance, marking);
  const found = await marking;
  if (!("node" in found)) return found;
  const { mark, at } = found;
  if (mark.kind === "marked" && mark.when === "just now" && restsFirst(drain, at))
    return rested(drain, ports);
  const now = ports.clock.now();
  const { deadline } = emptyingOf(found, drain, now).bounds;
  const notBefore = marksCountFrom(drain.start, found.at);
  const wish = {
    taints: drain.settings.taints,
    notBefore,
    deadline,
    ownMark: between(found.at, now),
  };
  await markPeers({ instance, peers }, wish, ports);
  return emptyingOf(found, drain, ports.clock.now());
}

/** Whether a drain rests when it has marked its node: it needs nearly all of its time itself. */
const restsFirst = ({ headStart = noRest, start }: Drain, now: Instant): boolean =>
  headStart > noRest && between(now, start.bounds.deadline) > headStart * 10;

const noRest = seconds(0);

function rested({ headStart: wait = noRest }: Drain, { journal }: DrainPorts): Pass {
  journal.record({
    kind: "pass-ended",
    left: [{ about: "", why: "the nodes that go with it are marked first" }],
    wait,
    onlyMarked: true,
  });
  return { kind: "again", wait };
}

type Drainable = Extract<MarkedInTime, { readonly kind: "marked" | "unmarked" }>;

/** A node that is marked, or is drained without a mark. */
interface FoundNode {
  readonly node: Node;
  /** The bounds of its drain, anew where that came too late. */
  readonly start: BoundsAtStart;
  readonly lateSince: Instant;
  readonly mark: Drainable;
  readonly vpc: string;
  /** When its mark was begun. */
  readonly at: Instant;
}

/** Finds the node of an instance and marks it; releases the instance if it has none. */
async function findAndMark(drain: Drain, ports: DrainPorts): Promise<FoundNode | Pass> {
  const { keeper } = drain;
  const { ec2Instance, node } = await seek(drain, ports);
  if (node === "absent") return release(keeper, { kind: "no-node" }, ports);
  if (hasEnded(node, ec2Instance)) return release(keeper, { kind: "instance-ended" }, ports);
  const at = ports.clock.now();
  const late = ifLate(node, drain, at);
  const turn = restsFirst(drain, at) ? "leave" : "take";
  const pass = isFirst(node, late) ? "first" : "later";
  const mark = await markOwn(node, { ...late, turn, pass }, ports);
  if (mark.kind === "gone") return release(keeper, { kind: "no-node" }, ports);
  if (mark.kind === "not yet") return soonAgain;
  // If nothing can be written, each pass would restart the time.
  const { start, lateSince = never } = mark.kind === "marked" ? late : drain;
  return { node, mark, start, lateSince, vpc: vpcOf(ec2Instance), at };
}

/** Whether no earlier pass can have marked the node within these bounds. */
const isFirst = (node: Node, { receives, lateSince = never }: Drain): boolean =>
  lateSince === never ? receives === 1 : tryWrittenAt(node, lateSinceAnnotation) !== lateSince;

/** The same drain with new bounds, if its instance is held but the drain came too late. */
function ifLate(node: Node, drain: Drain, now: Instant): Drain {
  const { keeper, start } = drain;
  const lateSince = keeper.kind === "none" ? undefined : tryLateSince(node, start.bounds, now);
  if (lateSince === undefined) return drain;
  const bounds = boundsAnew(start.bounds, lateSince);
  return { ...drain, lateSince, start: { kind: "known", bounds } };
}

/** What this pass has to empty, once the node is marked or is drained without a mark. */
function emptyingOf(
  { node, mark, vpc, start, lateSince }: FoundNode,
  drain: Drain,
  now: Instant,
): Emptying {
  const { instance, settings, keeper, passEnds } = drain;
  const own = boundsByTrace(start, mark.kind === "marked" ? mark.since : now, now);
  const cause = mark.kind === "marked" ? mark.cause : causeOf(drain.reason, start);
  const bounds = markedBounds(own, cause, settings);
  const pass = { instance, vpc, settings, keeper, passEnds, node, bounds, lateSince, cause };
  return { ...pass, ...markFactsOf(mark, drain, bounds) };
}

type MarkFacts = Pick<Emptying, "evictsUntil" | "mark" | "marked" | "steady">;

function markFactsOf(mark: Drainable, { receives }: Drain, { begun }: DrainBounds): MarkFacts {
  if (mark.kind === "unmarked")
    return { mark: "missing", marked: begun, steady: never, evictsUntil: never };
  const { since: marked, when, evictsUntil } = mark;
  // An earlier pass has marked the node already.
  const isRepeated = when === "just now" && receives > 1;
  return { mark: "set", marked, steady: isRepeated ? staysFrom(marked) : marked, evictsUntil };
}

async function clearAndConclude(
  emptying: Emptying,
  { receives }: Drain,
  ports: DrainPorts,
): Promise<Pass> {
  const cleared = await clearNode(emptying, ports);
  const { keeper, bounds } = emptying;
  return conclude(cleared, { keeper, bounds, receives }, ports);
}

/** A drain that failed up to its deadline, and why. */
export interface FailedDrain extends Pick<Emptying, "bounds" | "instance" | "keeper" | "settings"> {
  readonly reason: string;
}

/**
 * Ends a drain that failed. Its instance leaves its load balancers all the same: it is deregistered if that is wished,
 * and released when its last requests have ended.
 */
export async function giveUp(drain: FailedDrain, ports: DrainPorts): Promise<Pass> {
  const { instance, settings, keeper, bounds, reason } = drain;
  // Perhaps nobody could mark the node, so the clock of its load balancers starts now.
  const { deadline: marked } = bounds;
  const node = { name: nodeName(instance) };
  const watch = new BalancerWatch(
    { instance, settings, bounds: () => bounds, marked, node, vpc: "" },
    ports,
  );
  if (settings.targetTimeout > 0) await watch.work();
  if (watch.isLeaving()) return soonAgain;
  return release(
    keeper,
    { kind: "expired", left: [{ about: "", why: reason }, ...watch.left()] },
    ports,
  );
}
