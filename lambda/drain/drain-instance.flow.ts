import { nodeName } from "../base/ids.ts";
import { between, earliest, type Instant, never, seconds } from "../base/time.ts";
import { vpcOf } from "../group/ec2-instance.ts";
import { endInTime } from "../notice/end-in-time.flow.ts";
import { release } from "../notice/keeper.flow.ts";
import { soonAgain } from "../notice/outcome.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import {
  type BoundsAtStart,
  boundsByTrace,
  causeOf,
  markedBounds,
  marksCountFrom,
  prolonged,
  retryWithin,
} from "./drain-bounds.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import type { DrainPass } from "./drain-outcome.ts";
import { conclude, emptyNode } from "./empty-node.flow.ts";
import { hasEnded } from "./has-ended.ts";
import { lateBounds, tryLateSince } from "./late-begin.ts";
import { findNodeOf, type MarkedInTime, markOwn } from "./mark-own.flow.ts";
import { markPeers } from "./mark-peers.flow.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { lateSinceAnnotation, tryWrittenAt } from "./marking.ts";
import type { Node } from "./node.ts";
import { releaseDrained } from "./release-drained.flow.ts";
import { trustedFrom } from "./tiers.ts";

/** One pass over an instance: empties its node within the bounds of the drain, then releases the instance. */
export async function drainInstance(order: DrainOrder, ports: DrainPorts): Promise<DrainPass> {
  const found = await inTime(order, () => findAndMarkAll(order, ports), ports);
  if (!("bounds" in found)) return found;
  const bounded: DrainOrder = { ...order, start: prolonged(order.start, found.bounds) };
  const work = async () => conclude(await emptyNode(found, ports), found, ports);
  return inTime(bounded, work, ports);
}

/** Does work on a drain, which is given up if it still fails at the deadline. */
function inTime<Result>(
  order: DrainOrder,
  work: () => Promise<Result>,
  ports: DrainPorts,
): Promise<DrainPass | Result> {
  const { start } = order;
  const tried = {
    start,
    work,
    retryWithin: (now: Instant) => retryWithin(start, now),
    giveUp: (reason: string) => giveUp(order, reason, ports),
  };
  return endInTime(tried, ports);
}

/** Finds and marks the node of an instance, then the nodes of its peers. */
async function findAndMarkAll(
  order: DrainOrder,
  ports: DrainPorts,
): Promise<MarkedNode | DrainPass> {
  const { instance, peers, settings, start, unread = "none" } = order;
  if (unread !== "none") throw unread;
  const marking = findAndMark(order, ports);
  // The other drains of this process leave the node to this one from now on, not only once EC2 has given its name.
  ports.marks.keep(instance, marking);
  const found = await marking;
  if (!("node" in found)) return found;
  const wish = {
    taints: settings.taints,
    notBefore: marksCountFrom(start, found.foundAt),
    deadline: found.bounds.deadline,
    ownMark: between(found.foundAt, ports.clock.now()),
  };
  await markPeers({ instance, peers }, wish, ports);
  return found;
}

/** True if a drain can rest after the mark, because the rest is less than a tenth of its time. */
const restsFirst = ({ headStart = noRest, start }: DrainOrder, now: Instant): boolean =>
  headStart > noRest && between(now, start.bounds.deadline) > headStart * 10;

const noRest = seconds(0);

function rested({ headStart: wait = noRest }: DrainOrder, { journal }: DrainPorts): DrainPass {
  journal.record({
    kind: "pass-ended",
    left: [{ about: "", why: "the nodes that go with it are marked first" }],
    wait,
    onlyMarked: true,
  });
  return { kind: "again", wait };
}

/** Finds the node of an instance and marks it; releases the instance if it has none. */
async function findAndMark(order: DrainOrder, ports: DrainPorts): Promise<MarkedNode | DrainPass> {
  const { keeper } = order;
  const { ec2Instance, node } = await findNodeOf(order, ports);
  if (node === "absent") return release(keeper, { kind: "no-node" }, ports);
  if (hasEnded(node, ec2Instance)) return release(keeper, { kind: "instance-ended" }, ports);
  const found = unmarkedNode(node, order, vpcOf(ec2Instance), ports);
  const mark = await markFound(found, ports);
  if (mark.kind === "gone") return release(keeper, { kind: "no-node" }, ports);
  if (mark.kind === "not yet") return soonAgain;
  // If nothing can be written, each pass would restart the time.
  if (mark.kind === "unmarked") return found;
  const isNew = mark.when === "just now";
  if (isNew && restsFirst(order, found.foundAt)) return rested(order, ports);
  return withMark(found, mark, ports);
}

/** Marks a node that is found; the drain's time begins now if it came too late. */
function markFound({ node, order, foundAt }: MarkedNode, ports: DrainPorts): Promise<MarkedInTime> {
  const lateSince = lateSinceOf(node, order, foundAt, ports);
  const lease = restsFirst(order, foundAt) ? "leave" : "take";
  const pass = isFirst(node, order, lateSince) ? "first" : "later";
  const start = startSince(lateSince, order);
  return markOwn(node, { ...order, start }, { lateSince, lease, pass }, ports);
}

/** The new beginning of a held instance's drain; `never` if it is in time. A kubelet may take it off its node again and again. */
function lateSinceOf(
  node: Node,
  { instance, keeper, start: { bounds } }: DrainOrder,
  now: Instant,
  { sightings }: Pick<DrainPorts, "sightings">,
): Instant {
  const since = keeper.kind === "none" ? undefined : tryLateSince(node, bounds, now);
  return since === undefined
    ? never
    : earliest(since, sightings.since(instance, `a late drain of ${bounds.begun}`, ""));
}

/** The bounds of a drain whose time begins then. */
const startSince = (lateSince: Instant, { start }: DrainOrder): BoundsAtStart =>
  lateSince === never ? start : { kind: "known", bounds: lateBounds(start.bounds, lateSince) };

/** Whether no earlier pass can have marked the node within these bounds. */
const isFirst = (node: Node, { receives }: DrainOrder, lateSince: Instant): boolean =>
  lateSince === never ? receives === 1 : tryWrittenAt(node, lateSinceAnnotation) !== lateSince;

/** A node as it is drained without a mark. */
function unmarkedNode(
  node: Node,
  order: DrainOrder,
  vpc: string,
  { clock, reasons }: DrainPorts,
): MarkedNode {
  const { reason, start, settings } = order;
  const cause = causeOf(reason, start, reasons);
  const bounds = markedBounds(start.bounds, cause, settings, reasons);
  return {
    order,
    node,
    vpc,
    foundAt: clock.now(),
    mark: "missing",
    marked: bounds.begun,
    trustedFrom: never,
    evictsUntil: never,
    bounds,
    lateSince: never,
    cause,
  };
}

/** The node with the mark that it has got, whose time counts for the drain. */
function withMark(
  found: MarkedNode,
  { since: marked, when, cause, evictsUntil }: Extract<MarkedInTime, { readonly kind: "marked" }>,
  ports: DrainPorts,
): MarkedNode {
  const { clock, reasons } = ports;
  const { node, order, foundAt } = found;
  // An earlier pass has marked the node already.
  const isRepeated = when === "just now" && order.receives > 1;
  const lateSince = lateSinceOf(node, order, foundAt, ports);
  const bounds = boundsByTrace(startSince(lateSince, order), marked, clock.now());
  return {
    ...found,
    mark: "set",
    marked,
    trustedFrom: isRepeated ? trustedFrom(marked) : marked,
    evictsUntil,
    bounds: markedBounds(bounds, cause, order.settings, reasons),
    lateSince,
    cause,
  };
}

/**
 * Ends a drain that failed up to its deadline. Its instance leaves its load balancers all the same: it is deregistered if
 * that is wished, and released when its last requests have ended.
 */
async function giveUp(order: DrainOrder, reason: string, ports: DrainPorts): Promise<DrainPass> {
  const { instance, settings, keeper } = order;
  const { bounds } = order.start;
  const balancers = new BalancerWatch(
    {
      instance,
      vpc: "",
      node: nodeName(instance),
      // Perhaps nobody could mark the node, so the clock of its load balancers starts now.
      marked: bounds.deadline,
      settings,
      bounds: () => bounds,
    },
    ports,
  );
  if (settings.targetTimeout > 0) await balancers.work();
  if (balancers.isLeaving()) return soonAgain;
  return releaseDrained(
    keeper,
    { kind: "expired", left: [{ about: "", why: reason }, ...balancers.left()] },
    ports,
  );
}
