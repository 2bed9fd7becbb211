import type { InstanceId, NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { NodesView } from "../drain/drain.port.ts";
import type { BoundsAtStart } from "../drain/drain-bounds.ts";
import { type Node, runsOn } from "../drain/node.ts";
import { type Ec2Instance, namesOf } from "../group/ec2-instance.ts";
import { BackgroundTask, type Recurring } from "../notice/background-task.flow.ts";
import type { HookKeeper } from "../notice/keeper.flow.ts";
import type { LaunchPorts } from "./launch.port.ts";
import type { LaunchSettings } from "./launch-policy.ts";
import { type LaunchEnd, launchStep } from "./launch-step.ts";
import { type AwaitPorts, type Former, formerSearch, namesakeIn } from "./namesake.flow.ts";
import {
  isSameState,
  type RoleState,
  reasonOf,
  registerAgain,
  restOf,
} from "./register-role.flow.ts";

/** A launched instance that its hook holds, and the bounds of its launch. */
export interface LaunchOrder {
  readonly instance: InstanceId;
  /** The condition for completing the hook. */
  readonly awaits: "node-ready" | "role-registered";
  readonly settings: LaunchSettings;
  readonly start: BoundsAtStart;
  readonly receives: number;
  readonly passEnds: Instant;
  readonly keeper: HookKeeper;
  readonly ec2Instance: Promise<Ec2Instance | "unknown">;
}

/** The progress of a pass that waits. */
export type Awaited =
  | { readonly kind: "finish"; readonly outcome: LaunchEnd }
  | { readonly kind: "unfinished"; readonly reason: string }
  | { readonly kind: "released-elsewhere" };

/** A wait for a node of some names. It ends when the node has another name, or the role's registration advances. */
interface LaunchSession {
  readonly order: LaunchOrder;
  /**
   * The state of the role's registration; a failed registration does not keep the pass from looking
   * at the node.
   */
  readonly role: RoleState;
  readonly wakeup: Wakeup;
  readonly view: NodesView;
  readonly search: BackgroundTask<NodeName | "absent">;
  readonly retry: BackgroundTask<RoleState>;
  readonly former: BackgroundTask<Former>;
}

/**
 * The change that ends a wait: another node is followed, or the role's registration has advanced.
 */
type Change =
  | { readonly kind: "node-found"; readonly name: NodeName }
  | { readonly kind: "role-changed"; readonly role: RoleState };

/** Waits until the node of an instance is ready, for as long as this pass may. Looks now and then for the node among all others. */
export async function awaitReady(
  order: LaunchOrder,
  registered: RoleState,
  ports: AwaitPorts,
): Promise<Awaited> {
  const { cluster, clock } = ports;
  const { instance } = order;
  const wakeup = new Wakeup();
  const search = new BackgroundTask(nodeSearch(order, ports), wakeup, clock);
  let found = await foundUnnamed(instance, registered, ports);
  for (let role = registered; ; ) {
    // A kubelet may give its own node the provider ID of this instance, so a node that EC2 names goes first.
    const names = [...new Set([...namesOf(role.ec2Instance), ...found])];
    const view = await cluster.followNodes(names, wakeup);
    const retry = new BackgroundTask(retries(instance, role, ports), wakeup, clock);
    const former = new BackgroundTask(formerSearch(view, instance, ports), wakeup, clock);
    const session = { order, role, wakeup, view, search, retry, former };
    const awaited = await watched(session, ports).finally(() => view.close());
    if (awaited.kind === "node-found") found = [awaited.name];
    else if (awaited.kind === "role-changed") role = awaited.role;
    else return awaited;
  }
}

/** Looks among all nodes, once before anything is decided, for the node of an instance whose names EC2 has not given. */
async function foundUnnamed(
  instance: InstanceId,
  role: RoleState,
  { cluster }: AwaitPorts,
): Promise<readonly NodeName[]> {
  if (role.ec2Instance !== "unknown") return [];
  const name = await cluster.nodeNameOf(instance);
  return name === "absent" ? [] : [name];
}

/** Looks at the node and decides on a step; unless the step is the last one, waits and looks again. */
async function watched(session: LaunchSession, ports: AwaitPorts): Promise<Awaited | Change> {
  const { order, wakeup, former } = session;
  const { instance } = order;
  let seen: Former | undefined;
  for (let known = ""; ; ) {
    wakeup.consume();
    seen = former.take() ?? seen;
    const step = stepOf(session, seen, ports.clock.now());
    if (step.kind === "finish") return step;
    const { reason } = step;
    if (reason !== known) ports.journal.record({ kind: "node-awaited", instance, reason });
    known = reason;
    const end = await waited(reason, session, ports);
    if (end !== "go on") return end;
  }
}

async function waited(
  reason: string,
  session: LaunchSession,
  { clock }: AwaitPorts,
): Promise<Awaited | Change | "go on"> {
  const { order, wakeup, retry, former } = session;
  const { start, passEnds, keeper } = order;
  if (clock.now() >= passEnds) return { kind: "unfinished", reason };
  const { heartbeats } = keeper;
  if ((await heartbeats.send()) === "no-active-action") return { kind: "released-elsewhere" };
  const change = changeIn(session);
  if (change.kind !== "none") return change;
  retry.start();
  former.start();
  const due = earliest(heartbeats.due(), change.due, retry.due(), former.due());
  await clock.sleep(earliest(start.bounds.deadline, passEnds, due), wakeup);
  return "go on";
}

/** The change that the searches beside the wait have found; else the time of the next search. */
function changeIn(
  session: LaunchSession,
): Change | { readonly kind: "none"; readonly due: Instant } {
  const { search, retry, role } = session;
  const state = retry.take();
  if (state !== undefined && !isSameState(state, role))
    return { kind: "role-changed", role: state };
  if (nodeIn(session) !== "absent") return { kind: "none", due: never };
  const found = search.take() ?? "absent";
  if (found !== "absent") return { kind: "node-found", name: found };
  search.start();
  return { kind: "none", due: search.due() };
}

function stepOf(session: LaunchSession, former: Former | undefined, now: Instant) {
  const { order, role, view } = session;
  const { instance, settings, start } = order;
  const { ec2Instance } = role;
  return launchStep({
    now,
    deadline: start.bounds.deadline,
    instance,
    launched: ec2Instance === "unknown" ? ec2Instance : ec2Instance.launched,
    node: nodeIn(session),
    namesake: namesakeIn(view, instance, former),
    unregistered: reasonOf(role),
    startupTaints: settings.startupTaints,
    atDeadline: settings.atDeadline,
  });
}

const nodeIn = ({ order, view }: LaunchSession): Node | "absent" =>
  view.nodes().find((one) => runsOn(one, order.instance)) ?? "absent";

// Each search lists all nodes. A node of an unknown name may be found this late.
const betweenSearches = seconds(15);

/** Registers the role again, now and then, as long as it is not registered. */
function retries(instance: InstanceId, role: RoleState, ports: AwaitPorts): Recurring<RoleState> {
  const next = (): Instant =>
    role.kind === "registered" ? never : later(ports.clock.now(), restOf(role));
  let due = next();
  return {
    due: () => due,
    work() {
      due = next();
      return registerAgain(instance, role, ports);
    },
  };
}

/** Looks for the node of an instance among all nodes, now and then: the node may have a name that EC2 does not know. */
function nodeSearch(
  { instance, receives }: LaunchOrder,
  { cluster, clock }: Pick<LaunchPorts, "cluster" | "clock">,
): Recurring<NodeName | "absent"> {
  const next = (): Instant => later(clock.now(), betweenSearches);
  let due = receives === 1 ? next() : clock.now();
  return {
    due: () => due,
    work() {
      due = next();
      return cluster.nodeNameOf(instance);
    },
  };
}
