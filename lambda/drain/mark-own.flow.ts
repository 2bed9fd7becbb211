import type { InstanceId } from "../base/ids.ts";
import { type Instant, never } from "../base/time.ts";
import { type Ec2Answer, namesOf } from "../group/ec2-instance.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Reason } from "./cause.ts";
import type { DrainPorts } from "./drain.port.ts";
import {
  type BoundsAtStart,
  causeOf,
  deadlinesCountFrom,
  goesUnmarkedFrom,
  marksCountFrom,
} from "./drain-bounds.ts";
import type { DrainSettings } from "./drain-policy.ts";
import { type Marked, type MarkRequest, markNode } from "./mark-node.flow.ts";
import type { Node } from "./node.ts";

/** Why, how and within which bounds a node is drained. */
export interface DrainTerms {
  /** The reason in the node's mark. */
  readonly reason: Reason;
  readonly settings: DrainSettings;
  readonly start: BoundsAtStart;
  /** Since when it has its time anew, because it came too late. @default it is in time */
  readonly lateSince?: Instant;
  /** Whether this process is to evict the node's pods. @default "take" */
  readonly turn?: MarkRequest["turn"];
  /** Whether an earlier pass may have marked the node. @default "first" */
  readonly pass?: MarkRequest["pass"];
}

/** An instance whose node is sought. */
export interface SoughtInstance {
  readonly instance: InstanceId;
  /** The instance as EC2 describes it. @default EC2 is asked now */
  readonly ec2Instance?: Promise<Ec2Answer>;
}

/** Reads the instance and its node, and logs them. Where EC2 does not answer, the node is found by its provider ID alone. */
export async function seek(
  { instance, ...sought }: SoughtInstance,
  { cluster, instances, journal }: DrainPorts,
): Promise<{ readonly ec2Instance: Ec2Answer; readonly node: Node | "absent" }> {
  const described = sought.ec2Instance ?? instances.describe(instance);
  const ec2Instance = await described.catch((cause: unknown): Ec2Answer => {
    journal.record({ ...faultEntry(cause), retryable: true });
    return "unanswered";
  });
  const node = await cluster.findNode(instance, namesOf(ec2Instance));
  if (node !== "absent") journal.record({ kind: "node-found", node: node.name, instance });
  return { ec2Instance, node };
}

export function markOwn(
  node: Node,
  { reason, start, lateSince = never, turn = "take", pass = "first", settings }: DrainTerms,
  ports: DrainPorts,
): Promise<MarkedInTime> {
  const now = ports.clock.now();
  const { taints } = settings;
  const wish = { taints, notBefore: marksCountFrom(start, now), lateSince, turn, pass };
  // A drain that comes too late has no time to wait for a mark: each pass would find it as late.
  const until = lateSince === never ? goesUnmarkedFrom(start) : now;
  const why = { cause: causeOf(reason, start), begun: deadlinesCountFrom(start, now) };
  return markInTime(node, { ...wish, ...why, until }, ports);
}

/** The result of marking a node while its drain has time for that. */
export type MarkedInTime =
  | Exclude<Marked, { readonly kind: "contended" }>
  /** A later pass tries it again. */
  | { readonly kind: "not yet" }
  /** The node is drained without a mark. */
  | { readonly kind: "unmarked" };

/**
 * Marks a node. If that fails, a later pass tries again, but only up to a point in time. From then on the drain goes on
 * without a mark, because the pods need the time that is left.
 */
async function markInTime(
  node: Node,
  { until, ...wish }: MarkRequest & { readonly until: Instant },
  ports: DrainPorts,
): Promise<MarkedInTime> {
  const { clock, journal } = ports;
  try {
    const mark = await markNode(node, wish, ports);
    if (mark.kind !== "contended") return mark;
    journal.record({
      kind: "warning",
      about: `node ${node.name}`,
      warnings: ["not marked yet, for others keep writing it"],
    });
    return { kind: clock.now() < until ? "not yet" : "unmarked" };
  } catch (cause) {
    if (clock.now() < until) throw cause;
    journal.record(faultEntry(cause));
    return { kind: "unmarked" };
  }
}
