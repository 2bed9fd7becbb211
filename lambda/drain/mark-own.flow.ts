import { answeredBy } from "../base/answered-by.ts";
import { type Instant, later, latest, never, seconds } from "../base/time.ts";
import { type Ec2Answer, namesOf } from "../group/ec2-instance.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import { causeOf, deadlinesCountFrom, goesUnmarkedFrom, marksCountFrom } from "./drain-bounds.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import { type Marked, type MarkRequest, markNode } from "./mark-node.flow.ts";
import type { Node } from "./node.ts";

/** Reads the instance and its node, and logs them. Where EC2 does not answer, the node is found by its provider ID alone. */
export async function findNodeOf(
  order: Pick<DrainOrder, "ec2Instance" | "instance">,
  { cluster, instances, journal }: DrainPorts,
): Promise<{ readonly ec2Instance: Ec2Answer; readonly node: Node | "absent" }> {
  const { instance } = order;
  const described = order.ec2Instance ?? instances.describe(instance);
  const ec2Instance = await described.catch((cause: unknown): Ec2Answer => {
    journal.record({ ...faultEntry(cause), retryable: true });
    return "unanswered";
  });
  const node = await cluster.findNode(instance, namesOf(ec2Instance));
  if (node !== "absent") journal.record({ kind: "node-found", node: node.name, instance });
  return { ec2Instance, node };
}

/** Marks the node of an order, within the bounds of its start. */
export function markOwn(
  node: Node,
  { reason, start, settings }: DrainOrder,
  { lateSince, lease, pass }: Required<Pick<MarkRequest, "lateSince" | "lease" | "pass">>,
  ports: DrainPorts,
): Promise<MarkedInTime> {
  const now = ports.clock.now();
  const wish = {
    taints: settings.taints,
    notBefore: marksCountFrom(start, now),
    cause: causeOf(reason, start, ports.reasons),
    begun: deadlinesCountFrom(start, now),
    lateSince,
    pass,
    lease,
  };
  // A drain that comes too late has no time to wait for a mark: each pass would find it as late.
  return markInTime(node, wish, lateSince === never ? goesUnmarkedFrom(start) : now, ports);
}

/** The result of marking a node while its drain has time for that. */
export type MarkedInTime =
  | Exclude<Marked, { readonly kind: "contended" }>
  /** A later pass tries it again. */
  | { readonly kind: "not yet" }
  /** The node is drained without a mark. */
  | { readonly kind: "unmarked" };

// A pass is shorter than the tries of a request that gets no answer.
const answersWithin = seconds(10);

/**
 * Marks a node. If that fails, a later pass tries again, but only up to a point in time. From then on the drain goes on
 * without a mark, because the pods need the time that is left; it does not wait for an answer then that does not come.
 */
async function markInTime(
  node: Node,
  wish: MarkRequest,
  until: Instant,
  ports: DrainPorts,
): Promise<MarkedInTime> {
  const { clock, journal } = ports;
  const notMarked = (why: string) =>
    journal.record({
      kind: "warning",
      about: `node ${node.name}`,
      warnings: [`not marked yet, for ${why}`],
    });
  try {
    const limit = latest(until, later(clock.now(), answersWithin));
    const marking = markNode(node, wish, ports);
    const mark = await answeredBy(limit, marking, clock);
    if (mark === "unanswered") {
      // A mark that comes later counts in the next pass.
      marking.catch((cause: unknown) => journal.record(faultEntry(cause)));
      notMarked("the API server does not answer");
      return { kind: "unmarked" };
    }
    if (mark.kind !== "contended") return mark;
    notMarked("others keep writing it");
    return { kind: clock.now() < until ? "not yet" : "unmarked" };
  } catch (cause) {
    if (clock.now() < until) throw cause;
    journal.record(faultEntry(cause));
    return { kind: "unmarked" };
  }
}
