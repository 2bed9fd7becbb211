import { Bell } from "../base/bell.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import type { Ec2Instance } from "../drain/ec2-instance.ts";
import { type Node, runsOn } from "../drain/node.ts";
import { BackgroundTask, type Recurring } from "../notice/background-task.flow.ts";
import type { HookKeeper } from "../notice/keeper.flow.ts";
import type { LifecycleAction } from "../notice/lifecycle-action.ts";
import type { NodesView } from "../registrations/kubernetes.port.ts";
import type { LaunchPorts } from "../registrations/ports.ts";
import type { LaunchSettings } from "./launch-policy.ts";
import { type LaunchEnd, launchStep } from "./launch-step.ts";
import { findRole } from "./register-role.flow.ts";

/** A launched instance, while the function waits for its node. */
export interface Awaiting {
  readonly action: LifecycleAction;
  readonly ec2Instance: Ec2Instance;
  /** Why its role is not mapped; empty when it is. */
  readonly unmapped: string;
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
  /** EC2 or IAM has learned of a role that they did not know before. */
  | { readonly kind: "role-found"; readonly ec2Instance: Ec2Instance }
  | { readonly kind: "released-elsewhere" };

/** Waits until the node of an instance is ready, for as long as this pass may. */
export async function awaitReady(awaiting: Awaiting, ports: LaunchPorts): Promise<Awaited> {
  const { action, ec2Instance, receives } = awaiting;
  const bell = new Bell();
  const looks = nodeSearch(action.instance, receives === 1 ? "later" : "at once", ports);
  const search = new BackgroundTask(looks, bell, ports.clock);
  for (let { names } = ec2Instance; ; ) {
    const awaited = await followed(names, { ...awaiting, bell, search }, ports);
    if (awaited.kind !== "node-found") return awaited;
    names = [awaited.name];
  }
}

interface FollowedLaunch extends Awaiting {
  readonly bell: Bell;
  readonly search: BackgroundTask<NodeName | "absent">;
}

/** The node has a name that EC2 does not know. */
interface NodeFound {
  readonly kind: "node-found";
  readonly name: NodeName;
}

/** Follows the nodes of these names, and looks now and then for the instance's node among all others. */
async function followed(
  names: readonly NodeName[],
  following: FollowedLaunch,
  ports: LaunchPorts,
): Promise<Awaited | NodeFound> {
  const view = await ports.cluster.followNodes(names, following.bell);
  try {
    return await watched({ ...following, view }, ports);
  } finally {
    view.close();
  }
}

interface Watching extends FollowedLaunch {
  readonly view: NodesView;
}

/** Looks at the node and decides on a step; unless the step is the last one, waits and looks again. */
async function watched(watching: Watching, ports: LaunchPorts): Promise<Awaited | NodeFound> {
  for (let known = ""; ; ) {
    watching.bell.heard();
    const step = stepOf(watching, ports.clock.now());
    if (step.kind === "finish") return step;
    if (step.reason !== known) recordReason(step.reason, watching, ports);
    known = step.reason;
    const end = await waited(step.reason, watching, ports);
    if (end !== "go on") return end;
  }
}

function recordReason(reason: string, { action }: Watching, { journal }: LaunchPorts): void {
  journal.record({ kind: "node-awaited", instance: action.instance, reason });
}

// EC2 and IAM learn of a profile and its role late.
const betweenLooks = seconds(5);

async function waited(
  reason: string,
  watching: Watching,
  ports: LaunchPorts,
): Promise<Awaited | NodeFound | "go on"> {
  const { deadline, passEnds, keeper, bell, unmapped } = watching;
  const { clock } = ports;
  if (clock.now() >= passEnds) return { kind: "unfinished", reason };
  const { heartbeats } = keeper;
  if ((await heartbeats.send()) === "no-active-action") return { kind: "released-elsewhere" };
  const found = searched(watching);
  if (found.kind === "node-found") return found;
  const nextLook = unmapped === "" ? never : later(clock.now(), betweenLooks);
  await clock.sleep(earliest(deadline, passEnds, heartbeats.due(), nextLook, found.due), bell);
  return unmapped === "" ? "go on" : lookForRole(watching, ports);
}

/** What the search has found for an instance whose node has come under none of its names; else when it goes on. */
function searched(
  watching: Watching,
): NodeFound | { readonly kind: "none"; readonly due: Instant } {
  const { search } = watching;
  if (nodeIn(watching) !== "absent") return { kind: "none", due: never };
  const found = search.take() ?? "absent";
  if (found !== "absent") return { kind: "node-found", name: found };
  search.start();
  return { kind: "none", due: search.due() };
}

/** Looks again for the role of an instance that had none. */
async function lookForRole(
  { action: { instance } }: Watching,
  ports: LaunchPorts,
): Promise<Awaited | "go on"> {
  const ec2Instance = await ports.instances.describe(instance);
  if (ec2Instance === "unknown") return "go on";
  const role = await findRole(instance, ec2Instance, ports);
  return role.kind === "found" ? { kind: "role-found", ec2Instance } : "go on";
}

function stepOf(watching: Watching, now: Instant) {
  const { action, unmapped, settings, deadline } = watching;
  const { instance } = action;
  return launchStep({ ...settings, now, deadline, instance, node: nodeIn(watching), unmapped });
}

const nodeIn = ({ action, view }: Watching): Node | "absent" =>
  view.nodes().find((one) => runsOn(one, action.instance)) ?? "absent";

// A node whose name is unknown is found this late, because each look lists all nodes.
const betweenSearches = seconds(15);

/** Looks for the node of an instance among all nodes, now and then: the node may have a name that EC2 does not know. */
function nodeSearch(
  instance: InstanceId,
  first: "at once" | "later",
  { cluster, clock }: Pick<LaunchPorts, "cluster" | "clock">,
): Recurring<NodeName | "absent"> {
  const next = (): Instant => later(clock.now(), betweenSearches);
  let due = first === "at once" ? clock.now() : next();
  return {
    due: () => due,
    work() {
      due = next();
      return cluster.nodeNameOf(instance);
    },
  };
}
