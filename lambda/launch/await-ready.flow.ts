import { Bell } from "../base/bell.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import type { NodesView } from "../drain/drain.port.ts";
import { type Node, runsOn } from "../drain/node.ts";
import { namesOf } from "../group/ec2-instance.ts";
import { BackgroundTask, type Recurring } from "../notice/background-task.flow.ts";
import type { HookKeeper } from "../notice/keeper.flow.ts";
import type { LifecycleAction } from "../notice/lifecycle-action.ts";
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

/** A launched instance, while the function waits for its node. */
export interface Awaiting {
  readonly action: LifecycleAction;
  /** How far its role is registered; what keeps it from that keeps nobody from looking at the node. */
  readonly role: RoleState;
  readonly settings: LaunchSettings;
  readonly receives: number;
  readonly deadline: Instant;
  readonly passEnds: Instant;
  readonly keeper: HookKeeper;
}

/** How far a pass got with waiting. */
export type Awaited =
  | { readonly kind: "finish"; readonly outcome: LaunchEnd }
  | { readonly kind: "unfinished"; readonly reason: string }
  | { readonly kind: "released-elsewhere" };

/** Waits until the node of an instance is ready, for as long as this pass may. */
export async function awaitReady(awaiting: Awaiting, ports: AwaitPorts): Promise<Awaited> {
  const bell = new Bell();
  const search = new BackgroundTask(nodeSearch(awaiting, ports), bell, ports.clock);
  let found = await foundUnnamed(awaiting, ports);
  for (let { role } = awaiting; ; ) {
    const names = found.length === 0 ? namesOf(role.ec2Instance) : found;
    const awaited = await followed(names, { ...awaiting, role, bell, search }, ports);
    if (awaited.kind === "node-found") found = [awaited.name];
    else if (awaited.kind === "role-changed") role = awaited.role;
    else return awaited;
  }
}

/** The name of the node of an instance of which EC2 has told no names: at least one look at the cluster comes before any verdict. */
async function foundUnnamed(
  { action, role }: Awaiting,
  { cluster }: AwaitPorts,
): Promise<readonly NodeName[]> {
  if (role.ec2Instance !== "unknown") return [];
  const name = await cluster.nodeNameOf(action.instance);
  return name === "absent" ? [] : [name];
}

interface FollowedLaunch extends Awaiting {
  readonly bell: Bell;
  readonly search: BackgroundTask<NodeName | "absent">;
}

/** What is followed from now on is another node, or the role is registered further than it was. */
type Change =
  | { readonly kind: "node-found"; readonly name: NodeName }
  | { readonly kind: "role-changed"; readonly role: RoleState };

/** Follows the nodes of these names, and looks now and then for the instance's node among all others. */
async function followed(
  names: readonly NodeName[],
  following: FollowedLaunch,
  ports: AwaitPorts,
): Promise<Awaited | Change> {
  const { action, role, bell } = following;
  const { clock } = ports;
  const view = await ports.cluster.followNodes(names, bell);
  const retry = new BackgroundTask(retries(action.instance, role, ports), bell, clock);
  const former = new BackgroundTask(formerSearch(view, action.instance, ports), bell, clock);
  try {
    return await watched({ ...following, view, retry, former }, ports);
  } finally {
    view.close();
  }
}

interface Watching extends FollowedLaunch {
  readonly view: NodesView;
  readonly retry: BackgroundTask<RoleState>;
  readonly former: BackgroundTask<Former>;
}

/** Looks at the node and decides on a step; unless the step is the last one, waits and looks again. */
async function watched(watching: Watching, ports: AwaitPorts): Promise<Awaited | Change> {
  const { action, former } = watching;
  let seen: Former | undefined;
  for (let known = ""; ; ) {
    watching.bell.heard();
    seen = former.take() ?? seen;
    const step = stepOf(watching, seen, ports.clock.now());
    if (step.kind === "finish") return step;
    const { reason } = step;
    if (reason !== known)
      ports.journal.record({ kind: "node-awaited", instance: action.instance, reason });
    known = reason;
    const end = await waited(reason, watching, ports);
    if (end !== "go on") return end;
  }
}

async function waited(
  reason: string,
  watching: Watching,
  ports: AwaitPorts,
): Promise<Awaited | Change | "go on"> {
  const { deadline, passEnds, keeper, bell, retry, former } = watching;
  const { clock } = ports;
  if (clock.now() >= passEnds) return { kind: "unfinished", reason };
  const { heartbeats } = keeper;
  if ((await heartbeats.send()) === "no-active-action") return { kind: "released-elsewhere" };
  const change = changeIn(watching);
  if (change.kind !== "none") return change;
  retry.start();
  former.start();
  const due = earliest(heartbeats.due(), change.due, retry.due(), former.due());
  await clock.sleep(earliest(deadline, passEnds, due), bell);
  return "go on";
}

/** What the searches beside the wait have found; else when the search for the node goes on. */
function changeIn(watching: Watching): Change | { readonly kind: "none"; readonly due: Instant } {
  const { search, retry, role } = watching;
  const state = retry.take();
  if (state !== undefined && !isSameState(state, role))
    return { kind: "role-changed", role: state };
  if (nodeIn(watching) !== "absent") return { kind: "none", due: never };
  const found = search.take() ?? "absent";
  if (found !== "absent") return { kind: "node-found", name: found };
  search.start();
  return { kind: "none", due: search.due() };
}

function stepOf(watching: Watching, former: Former | undefined, now: Instant) {
  const { action, role, settings, deadline, view } = watching;
  const { instance } = action;
  const { ec2Instance } = role;
  const launched = ec2Instance === "unknown" ? ec2Instance : ec2Instance.launched;
  const seen = { node: nodeIn(watching), namesake: namesakeIn(view, instance, former) };
  const unregistered = reasonOf(role);
  return launchStep({ ...settings, ...seen, now, deadline, instance, launched, unregistered });
}

const nodeIn = ({ action, view }: Watching): Node | "absent" =>
  view.nodes().find((one) => runsOn(one, action.instance)) ?? "absent";

// A node whose name is unknown is found this late, because each look lists all nodes.
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
  { action, receives }: Awaiting,
  { cluster, clock }: Pick<LaunchPorts, "cluster" | "clock">,
): Recurring<NodeName | "absent"> {
  const next = (): Instant => later(clock.now(), betweenSearches);
  let due = receives === 1 ? next() : clock.now();
  return {
    due: () => due,
    work() {
      due = next();
      return cluster.nodeNameOf(action.instance);
    },
  };
}
