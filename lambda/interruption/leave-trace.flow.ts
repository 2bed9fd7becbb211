import { never, timestamp } from "../base/time.ts";
import { unchanged } from "../drain/marking.ts";
import type { Node } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Maintenance } from "./event-notice.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import { type MaintenanceState, maintenanceStateOf, traceOf } from "./maintenance-state.ts";
import { type MaintenanceTrace, tracesOn, withTrace } from "./maintenance-trace.ts";

/** The result of recording a notice of maintenance on a node. */
export type Traced =
  | {
      readonly kind: "traced";
      /** The earlier meaning of the notice for the node. */
      readonly standing: MaintenanceState;
      /** The node's trace of the Health event. */
      readonly trace: MaintenanceTrace;
    }
  | { readonly kind: "no-node" }
  /** Others keep writing the node; a later pass tries again. */
  | { readonly kind: "contended" };

/**
 * The record that a node has to carry: a notice, and the id of the notice that waits for the work.
 */
export interface WantedTrace {
  readonly notice: Maintenance;
  readonly waiting: string;
}

/** Records a notice of maintenance on a node, unless the node has the same or a later one. */
export async function leaveTrace(
  found: Node,
  wish: WantedTrace,
  ports: InterruptionPorts,
): Promise<Traced> {
  let node: Node | "absent" = found;
  const answer = await overOthers(async () => {
    if (node === "absent" || node.uid !== found.uid) return { kind: "no-node" } as const;
    const traced = await tryLeaving(node, wish, ports);
    if (traced === "changed") node = await ports.cluster.node(found.name);
    return traced;
  }, ports.clock);
  return answer === "changed" ? { kind: "contended" } : answer;
}

async function tryLeaving(
  node: Node,
  { notice, waiting }: WantedTrace,
  { cluster, clock, journal }: InterruptionPorts,
): Promise<Traced | "changed"> {
  const standing = maintenanceStateOf(notice, tracesOn(node));
  if (standing.kind !== "news") return { kind: "traced", standing, trace: standing.trace };
  const trace = traceOf(notice, { waiting, now: clock.now() });
  const marking = { ...unchanged, annotations: withTrace(node, trace) };
  const answer = await cluster.mark(node, () => marking);
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "no-node" };
  const starts = trace.startTime === never ? "" : timestamp(trace.startTime);
  journal.record({ kind: "maintenance-planned", node: node.name, starts });
  return { kind: "traced", standing, trace };
}
