import type { InstanceId, NodeName } from "../base/ids.ts";
import { seconds } from "../base/time.ts";
import type { Node } from "../drain/node.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { contended, done, type Ignorance, ignored } from "../notice/outcome.ts";
import {
  type Affected,
  affectedOf,
  forEachAffected,
  type MaintenanceRequest,
} from "./affected.flow.ts";
import { awaitWork } from "./await-work.flow.ts";
import { askedAgain, confirmed } from "./confirm-work.flow.ts";
import type { EventPass } from "./event-outcome.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import { leaveTrace, type WantedTrace } from "./leave-trace.flow.ts";
import { maintenanceStateOf } from "./maintenance-state.ts";
import { tracesOn } from "./maintenance-trace.ts";
import { openAgain } from "./open-again.flow.ts";
import type { Confirmation } from "./work-confirmation.ts";

/**
 * One pass over a notice of maintenance. A notice about one instance waits for the maintenance. A notice about several
 * becomes one for each. A closed one is recorded on the nodes at once.
 */
export async function maintain(request: MaintenanceRequest): Promise<EventPass> {
  const { notice } = request;
  const { affected, refused } = await affectedOf(request);
  const [one] = affected;
  if (one === undefined) return ignoredAll(refused);
  if (notice.status === "closed") return callAllOff(affected, request);
  return notice.instances.length === 1 ? awaitWork(one, request) : passAllOn(affected, request);
}

async function passAllOn(
  affected: readonly Affected[],
  request: MaintenanceRequest,
): Promise<EventPass> {
  const passed = await forEachAffected(affected, (one) => passOn(one, request), request);
  if (passed === "unfinished") return atOnce;
  const [doubted, ...others] = passed.flatMap(({ instance, found }) =>
    typeof found !== "string" && found.kind === "unconfirmed" ? [{ ...found, instance }] : [],
  );
  if (doubted !== undefined) {
    const waiting = [doubted, ...others].map(({ instance }) => `instance ${instance}`);
    return askedAgain(waiting, doubted, request.ports);
  }
  const instances = passed.flatMap(({ instance, found }) =>
    found === "passed on" ? [instance] : [],
  );
  return instances.length === 0 && passed.some(({ found }) => found !== "no node")
    ? ignored("EC2 has scheduled no work for any of its instances", "untrue")
    : done({ kind: "passed-on", instances });
}

/** The result for one of the affected instances of a notice. */
interface Passed {
  readonly instance: InstanceId;
  readonly found: Confirmation | "no node" | "passed on";
}

async function callAllOff(
  affected: readonly Affected[],
  request: MaintenanceRequest,
): Promise<EventPass> {
  const opened = await forEachAffected(affected, (one) => callOff(one, request), request);
  if (opened === "unfinished") return atOnce;
  const nodes = opened.filter((each) => each !== "contended").flat();
  return opened.includes("contended")
    ? contended(request.receives)
    : done({ kind: "called-off", nodes });
}

// The next pass finds what this one has done, and goes on from there.
const atOnce: EventPass = { kind: "again", wait: seconds(0) };

/** Why a notice is not about this deployment. Of hundreds of reasons, the first is enough. */
function ignoredAll([first, ...others]: readonly Ignorance[]): EventPass {
  if (first === undefined) return ignored("it affects no instance");
  const { reason, why } = first;
  const more = others.length === 0 ? "" : `, and neither are the ${others.length} others`;
  return ignored(`${reason}${more}`, why);
}

/** Records on the node that AWS has cancelled the maintenance, and removes the mark for it. Returns the node. */
async function callOff(
  one: Affected,
  { notice, ports }: MaintenanceRequest,
): Promise<readonly NodeName[] | "contended"> {
  if (one.drain.mode === "dry-run") return [];
  const node = await ports.cluster.findNode(one.instance, one.names);
  if (node === "absent") return [];
  const traced = await leaveTrace(node, { notice, waiting: notice.id }, ports);
  if (traced.kind !== "traced") return traced.kind === "contended" ? traced.kind : [];
  const isOver = async () => (await ports.schedule.planned(one.instance)).length === 0;
  const opened = await openAgain(node.name, one, ports, isOver);
  if (opened === "contended") return opened;
  return opened === "opened" ? [node.name] : [];
}

/**
 * Sends a notice of its own about an affected instance, unless its node knows of the work already or EC2 does not
 * confirm it; says which.
 *
 * The notice is sent before its trace is left, so that a crash between the two loses none. The next pass then sends
 * another one, and the one that the trace does not name ends by itself.
 */
async function passOn(one: Affected, request: MaintenanceRequest): Promise<Passed> {
  const { instance, names, drain } = one;
  const { notice, ports } = request;
  const node = await ports.cluster.findNode(instance, names);
  if (node === "absent") return { instance, found: "no node" };
  if (maintenanceStateOf(notice, tracesOn(node)).kind !== "news")
    return { instance, found: "passed on" };
  const found = await confirmed(node, one, request);
  if (found.kind !== "confirmed") return { instance, found };
  const waiting = await ports.outbox.send({ ...notice, instances: [instance] });
  // A dry run changes nothing in the cluster.
  if (drain.mode !== "dry-run") await tryLeavingTrace(node, { notice, waiting }, ports);
  return { instance, found: "passed on" };
}

/** Leaves the trace of a notice that was sent. If that fails, the notice leaves it itself, so it is not sent once more. */
async function tryLeavingTrace(
  node: Node,
  wish: WantedTrace,
  ports: InterruptionPorts,
): Promise<void> {
  try {
    await leaveTrace(node, wish, ports);
  } catch (cause) {
    ports.journal.record({ ...faultEntry(cause), retryable: true });
  }
}
