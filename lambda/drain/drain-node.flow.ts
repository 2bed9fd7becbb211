import { heldTerminating, isCalledOff } from "../notice/admission.ts";
import type { Reception } from "../notice/begun-at.ts";
import type { NotHeld } from "../notice/guard.flow.ts";
import { type HeldInstance, type HeldPolicy, heldPass } from "../notice/held-pass.flow.ts";
import type { Terminating } from "../notice/notice.ts";
import { ignored, type Pass } from "../notice/outcome.ts";
import type { DrainPorts } from "./drain.port.ts";
import { boundsUnderHook, letsGoFrom } from "./drain-bounds.ts";
import { type Drain, drainInstance } from "./drain-instance.flow.ts";
import type { DrainSettings } from "./drain-policy.ts";
import { undoMark } from "./undo-mark.flow.ts";

/** A notice of a terminating instance, and how it came. */
export interface DrainRequest extends Reception {
  readonly notice: Terminating;
}

/** One pass of a drain: empties the node of a terminating instance, then releases the instance. */
export async function drainNode(
  request: DrainRequest,
  policy: HeldPolicy<DrainSettings>,
  ports: DrainPorts,
): Promise<Pass> {
  const pass = {
    action: request.notice.action,
    transition: "terminating" as const,
    heldIn: heldTerminating,
    policy,
    goOn: (instance: HeldInstance<DrainSettings>) =>
      instance.settings.mode === "dry-run"
        ? dryRunOf(request, instance, ports)
        : drainInstance(drainOf(request, instance, ports), ports),
    leaveAlone: (instance: NotHeld) => leaveAlone(instance, { request, policy, ports }),
  };
  return heldPass(pass, ports);
}

/** Finds out what a drain would do; only who wishes that loads the code for it. */
async function dryRunOf(
  { notice }: DrainRequest,
  instance: HeldInstance<DrainSettings>,
  ports: DrainPorts,
): Promise<Pass> {
  const { dryRun } = await import("./dry-run.flow.ts");
  const { ec2Instance } = instance.held;
  return dryRun({ ...instance, ec2Instance, instance: notice.action.instance }, ports);
}

/** The drain of an instance, bounded by its notice and its hook. */
function drainOf(
  request: DrainRequest,
  { held, ...pass }: HeldInstance<DrainSettings>,
  ports: DrainPorts,
): Drain {
  const { notice, receives } = request;
  const { ec2Instance, peers, unread } = held;
  const start = boundsUnderHook(request, held, pass.settings, ports.clock.now());
  const keeper = {
    ...pass.keeper,
    atDeadline: atDeadline(notice, { held, ...pass }, ports),
    letsGoFrom: letsGoFrom(start),
  };
  const { instance } = notice.action;
  const order = { keeper, instance, ec2Instance, receives, start, peers, unread };
  return { ...pass, ...order, reason: "terminating" };
}

/** Whether an instance that cannot be drained in time goes on or is kept. Without retention ABANDON would end it at once. */
function atDeadline(
  { action: { group } }: Terminating,
  { held: { onAbandon }, settings }: HeldInstance<DrainSettings>,
  { journal }: DrainPorts,
): "go on" | "keep" {
  if (settings.atDeadline === "CONTINUE") return "go on";
  if (onAbandon === "retain") return "keep";
  const warnings = [
    "it retains no abandoned instance, so none is kept at the deadline of its drain",
  ];
  journal.record({ kind: "warning", about: `group ${group}`, warnings });
  return "go on";
}

interface Unwanted {
  readonly request: DrainRequest;
  readonly policy: HeldPolicy<DrainSettings>;
  readonly ports: DrainPorts;
}

/** Touches nothing, except that it removes our mark from a node whose termination was called off mid-drain. */
async function leaveAlone({ reason, why, membership }: NotHeld, unwanted: Unwanted): Promise<Pass> {
  const { request, policy, ports } = unwanted;
  const { notice, receives } = request;
  if (isCalledOff(membership, receives)) {
    const { taints } = policy.settingsFor({}).settings;
    const mark = { taints, of: "terminating", receives } as const;
    const undone = await undoMark(notice.action.instance, mark, ports);
    if (undone !== "settled") return undone;
  }
  return ignored(reason, why);
}
