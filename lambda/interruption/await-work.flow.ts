import { later, seconds, timestamp } from "../base/time.ts";
import { drainInstance } from "../drain/drain-instance.flow.ts";
import type { DrainOrder } from "../drain/drain-order.flow.ts";
import { dryRun } from "../drain/dry-run.flow.ts";
import type { Node } from "../drain/node.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { contended, done, ignored } from "../notice/outcome.ts";
import type { Affected, MaintenanceRequest } from "./affected.flow.ts";
import { tryDoubt } from "./confirm-work.flow.ts";
import type { EventPass } from "./event-outcome.ts";
import { leaveTrace, type Traced } from "./leave-trace.flow.ts";
import { drainFrom, maintenanceBounds, restBefore } from "./maintenance-bounds.ts";
import { traceOf, tryWhyNotWaiting } from "./maintenance-state.ts";
import type { MaintenanceTrace } from "./maintenance-trace.ts";
import { openAgain } from "./open-again.flow.ts";

const keeper = { kind: "none" } as const;
const noNode = done({ kind: "no-node" });

/**
 * Waits for the work on the host of one instance, and drains its node a lead time before. A notice whose date no longer
 * holds ends.
 */
export async function awaitWork(one: Affected, request: MaintenanceRequest): Promise<EventPass> {
  const { notice, policy, ports } = request;
  const { instance, drain: settings } = one;
  const passEnds = later(ports.clock.now(), policy.pass);
  if (settings.mode === "dry-run") return dryRun({ instance, settings, keeper, passEnds }, ports);
  const node = await ports.cluster.findNode(instance, one.names);
  if (node === "absent") return noNode;
  const doubt = await tryDoubt(node, one, request);
  if (doubt !== undefined) return doubt;
  const traced = await traceOrGoOn(node, one, request);
  if (traced.kind === "no-node") return noNode;
  if (traced.kind === "contended") return contended(request.receives);
  const reason = tryWhyNotWaiting(notice, traced.standing);
  if (reason === undefined) return restOrDrain(node, { ...request, one, trace: traced.trace });
  const opened = await openAgain(node.name, one, ports);
  return opened === "contended" ? contended(request.receives) : ignored(reason);
}

/** Leaves the trace of a notice. A node that cannot be written is drained without a trace once its time has come. */
async function traceOrGoOn(
  node: Node,
  { settings: { maintenanceLead } }: Affected,
  { notice, ports }: MaintenanceRequest,
): Promise<Traced> {
  const { id: waiting, since: now } = notice;
  try {
    return await leaveTrace(node, { notice, waiting }, ports);
  } catch (cause) {
    const trace = traceOf(notice, { waiting, now });
    if (ports.clock.now() < drainFrom(trace, maintenanceLead)) throw cause;
    ports.journal.record(faultEntry(cause));
    return { kind: "traced", standing: { kind: "news" }, trace };
  }
}

/** An instance with scheduled maintenance of its host, and its node's trace of it. */
interface PlannedMaintenance extends MaintenanceRequest {
  readonly one: Affected;
  readonly trace: MaintenanceTrace;
}

async function restOrDrain(node: Node, planned: PlannedMaintenance): Promise<EventPass> {
  const { one, trace, ports } = planned;
  const wait = restBefore(trace, one.settings, ports.clock.now());
  if (wait === 0) return drainThenOpen(node, planned);
  await openAgain(node.name, one, ports);
  const from = drainFrom(trace, one.settings.maintenanceLead);
  const [start, begin] = [timestamp(trace.startTime), timestamp(from)];
  const why = `${trace.event} begins at ${start}, and the drain at ${begin}`;
  ports.journal.record({ kind: "pass-ended", left: [{ about: "", why }], wait });
  return { kind: "again", wait };
}

// The notices about other instances of the Health event come at the same moment; until then their nodes are marked too.
const headStart = seconds(30);

async function drainThenOpen(node: Node, planned: PlannedMaintenance): Promise<EventPass> {
  const { one, receives, ports } = planned;
  const pass = await drainInstance(orderOf(planned), ports);
  // AWS may have cancelled the maintenance during the pass, and the pass may have marked the node after that.
  if (pass.kind === "again") return pass;
  const opened = await openAgain(node.name, one, ports);
  return opened === "contended" ? contended(receives) : pass;
}

function orderOf({ one, trace, receives, policy, ports }: PlannedMaintenance): DrainOrder {
  const {
    instance,
    settings: { maintenanceLead: lead },
    drain: settings,
  } = one;
  const bounds = maintenanceBounds(trace, { ...settings, lead });
  return {
    instance,
    reason: "maintenance",
    receives,
    // The instance may stay in service, and nothing would register it again.
    settings: { ...settings, deregister: "never" },
    start: { kind: "known", bounds },
    keeper,
    peers: [],
    passEnds: later(ports.clock.now(), policy.pass),
    headStart,
  };
}
