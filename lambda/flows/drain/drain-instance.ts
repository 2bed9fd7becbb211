import type { DrainSettings } from "../../domain/drain/drain-policy.ts";
import { staysFrom } from "../../domain/drain/turn.ts";
import type { InstanceId } from "../../domain/ids.ts";
import type { Reason } from "../../domain/node/cause.ts";
import { type Ec2Instance, hasEnded, namesOf } from "../../domain/node/ec2-instance.ts";
import type { Node } from "../../domain/node/node.ts";
import {
  type BoundsAtStart,
  boundsByTrace,
  causeOf,
  type DrainBounds,
  deadlinesCountFrom,
  goesUnmarkedFrom,
  markedBounds,
  marksCountFrom,
  prolonged,
  retryWithin,
} from "../../domain/notice/drain-bounds.ts";
import { type Pass, soonAgain } from "../../domain/notice/outcome.ts";
import { type Instant, never } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { endInTime, type PassWork } from "../end-in-time.ts";
import { type Keeper, release } from "../hook/keeper.ts";
import { type MarkedInTime, markInTime } from "../mark/mark-in-time.ts";
import { markPeers } from "../mark/mark-peers.ts";
import { clearNode } from "./clear-node.ts";
import { conclude } from "./conclude.ts";
import type { Emptying } from "./emptying.ts";
import { giveUp } from "./give-up.ts";

/** An instance to drain, for whatever kind of notice. */
export interface Drain {
  readonly instance: InstanceId;
  /** Why, as its node's mark says. */
  readonly reason: Reason;
  /** How often the notice has been received. */
  readonly receives: number;
  readonly settings: DrainSettings;
  readonly start: BoundsAtStart;
  readonly keeper: Keeper;
  /** Other instances that will terminate soon as well. */
  readonly peers: readonly InstanceId[];
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
}

/** One pass over an instance: empties its node within the bounds of the drain, then releases the instance. */
export async function drainInstance(drain: Drain, ports: Ports): Promise<Pass> {
  const found = await endInTime(
    passOf(drain, () => findAndMark(drain, ports), ports),
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
  ports: Ports,
): PassWork<Result> => ({
  start: drain.start,
  work,
  retryWithin: (now) => retryWithin(drain.start, now),
  giveUp: (reason) =>
    drain.start.kind === "known"
      ? giveUp({ ...drain, bounds: drain.start.bounds, reason }, ports)
      : release(drain.keeper, { kind: "expired", left: [reason] }, ports),
});

async function findAndMark(drain: Drain, ports: Ports): Promise<Emptying | Pass> {
  const { instance, keeper } = drain;
  const ec2Instance = await ports.instances.describe(instance);
  const node = await nodeOf(instance, ec2Instance, ports);
  if (node === "absent") return release(keeper, { kind: "no-node" }, ports);
  if (hasEnded(node, ec2Instance)) return release(keeper, { kind: "instance-ended" }, ports);
  const mark = await markWithPeers(node, drain, ports);
  if (mark.kind === "gone") return release(keeper, { kind: "no-node" }, ports);
  if (mark.kind === "not yet") return soonAgain;
  const vpc = ec2Instance === "unknown" ? "" : ec2Instance.vpc;
  return emptyingOf(node, mark, { drain, vpc, now: ports.clock.now() });
}

/** The node of an instance, which the journal is told. */
export async function nodeOf(
  instance: InstanceId,
  ec2Instance: Ec2Instance | "unknown",
  { cluster, journal }: Ports,
): Promise<Node | "absent"> {
  const node = await cluster.findNode(instance, namesOf(ec2Instance));
  if (node !== "absent") journal.record({ kind: "node-found", node: node.name, instance });
  return node;
}

/** Marks the node, and then those of the peers, so that no evicted pod lands on a node that will be drained next. */
export async function markWithPeers(
  node: Node,
  { instance, reason, start, settings: { taints }, peers }: Drain,
  ports: Ports,
): Promise<MarkedInTime> {
  const now = ports.clock.now();
  const wish = { taints, notBefore: marksCountFrom(start, now) };
  const why = { cause: causeOf(reason, start, now), begun: deadlinesCountFrom(start, now) };
  const until = goesUnmarkedFrom(start, now);
  const marking = markInTime(node, { ...wish, ...why, until }, ports);
  ports.marks.keep(instance, marking);
  const mark = await marking;
  if (mark.kind === "marked" || mark.kind === "unmarked")
    await markPeers({ instance, peers }, wish, ports);
  return mark;
}

type Drainable = Extract<MarkedInTime, { readonly kind: "marked" | "unmarked" }>;

interface Moment {
  readonly drain: Drain;
  readonly vpc: string;
  readonly now: Instant;
}

/** What this pass has to empty, once the node is marked or is drained without a mark. */
function emptyingOf(node: Node, mark: Drainable, { drain, vpc, now }: Moment): Emptying {
  const { instance, settings, keeper, passEnds } = drain;
  const own = boundsByTrace(drain.start, mark.kind === "marked" ? mark.since : now, now);
  const cause = mark.kind === "marked" ? mark.cause : causeOf(drain.reason, drain.start, now);
  const bounds = markedBounds(own, cause, settings);
  const pass = { instance, vpc, settings, keeper, passEnds, node, bounds, cause };
  return { ...pass, ...standingOf(mark, drain, bounds) };
}

type Standing = Pick<Emptying, "mark" | "marked" | "steady">;

function standingOf(mark: Drainable, { receives }: Drain, { begun }: DrainBounds): Standing {
  if (mark.kind === "unmarked") return { mark: "missing", marked: begun, steady: never };
  const { since: marked, when } = mark;
  // An earlier pass has marked the node already.
  const isRepeated = when === "just now" && receives > 1;
  return { mark: "set", marked, steady: isRepeated ? staysFrom(marked) : marked };
}

async function clearAndConclude(
  emptying: Emptying,
  { receives }: Drain,
  ports: Ports,
): Promise<Pass> {
  const cleared = await clearNode(emptying, ports);
  const { keeper, bounds } = emptying;
  return conclude(cleared, { keeper, bounds, receives }, ports);
}
