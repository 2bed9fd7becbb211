import type { LaunchSettings } from "../../domain/launch/launch-policy.ts";
import { type LaunchEnd, launchStep } from "../../domain/launch/launch-step.ts";
import type { Ec2Instance } from "../../domain/node/ec2-instance.ts";
import { runsOn } from "../../domain/node/node.ts";
import type { LifecycleAction } from "../../domain/notice/lifecycle-action.ts";
import { earliest, type Instant, later, never, seconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { NodesView } from "../../ports/cluster.ts";
import type { LaunchPorts } from "../../ports/ports.ts";
import type { HookKeeper } from "../hook/keeper.ts";
import { findRole } from "./register-role.ts";

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
  const bell = new Bell();
  const view = await ports.cluster.followNodes(await namesOf(awaiting, ports), bell);
  try {
    return await watched({ ...awaiting, bell, view }, ports);
  } finally {
    view.close();
  }
}

/** The node names to follow; from the second pass on also an unusual name that the node itself has chosen. */
async function namesOf({ action, ec2Instance, receives }: Awaiting, { cluster }: LaunchPorts) {
  if (receives === 1) return ec2Instance.names;
  const found = await cluster.findNode(action.instance, ec2Instance.names);
  return found === "absent" ? ec2Instance.names : [found.name];
}

interface Watching extends Awaiting {
  readonly bell: Bell;
  readonly view: NodesView;
}

/** Looks at the node and decides on a step; unless the step is the last one, waits and looks again. */
async function watched(watching: Watching, ports: LaunchPorts): Promise<Awaited> {
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
): Promise<Awaited | "go on"> {
  const { deadline, passEnds, keeper, bell, unmapped } = watching;
  const { clock } = ports;
  if (clock.now() >= passEnds) return { kind: "unfinished", reason };
  const { heartbeats } = keeper;
  if ((await heartbeats.send()) === "no-active-action") return { kind: "released-elsewhere" };
  const nextLook = unmapped === "" ? never : later(clock.now(), betweenLooks);
  await clock.sleep(earliest(deadline, passEnds, heartbeats.due(), nextLook), bell);
  return unmapped === "" ? "go on" : lookForRole(watching, ports);
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

function stepOf({ action, unmapped, settings, deadline, view }: Watching, now: Instant) {
  const { instance } = action;
  const node = view.nodes().find((one) => runsOn(one, instance)) ?? "absent";
  return launchStep({ ...settings, now, deadline, instance, node, unmapped });
}
