import type { GroupName, InstanceId } from "../base/ids.ts";
import { heldTerminating, isCalledOff } from "../notice/admission.ts";
import type { Reception } from "../notice/begun-at.ts";
import type { HeldByHook, NotHeld } from "../notice/guard.flow.ts";
import { type HeldInstance, type HeldPolicy, heldPass } from "../notice/held-pass.flow.ts";
import type { NamedCluster } from "../notice/notice.port.ts";
import type { Terminating } from "../notice/notice.ts";
import { ignored } from "../notice/outcome.ts";
import type { DrainPorts } from "./drain.port.ts";
import { boundsUnderHook, letsGoFrom } from "./drain-bounds.ts";
import { drainInstance } from "./drain-instance.flow.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import type { DrainPass } from "./drain-outcome.ts";
import type { DrainSettings } from "./drain-policy.ts";
import { type DrainMark, undoMark } from "./undo-mark.flow.ts";

/** One pass of a drain: empties the node of a terminating instance, then releases the instance. */
export async function drainNode(
  notice: Terminating,
  reception: Reception,
  policy: HeldPolicy<DrainSettings>,
  ports: DrainPorts & NamedCluster,
): Promise<DrainPass> {
  const { instance } = notice.action;
  const { receives } = reception;
  const pass = {
    action: notice.action,
    transition: "terminating" as const,
    heldIn: heldTerminating,
    policy,
    goOn: (held: HeldInstance<DrainSettings>) =>
      held.settings.mode === "dry-run"
        ? dryRunOf(instance, held, ports)
        : drainInstance(orderOf(notice, reception, held, ports), ports),
    leaveAlone: (found: NotHeld) => {
      const { taints } = policy.settingsFor({}).settings;
      return leaveAlone(found, instance, { taints, of: "terminating", receives }, ports);
    },
  };
  return heldPass(pass, ports);
}

/** Finds out what a drain would do; only who wishes that loads the code for it. */
async function dryRunOf(
  instance: InstanceId,
  { held, settings, keeper, passEnds }: HeldInstance<DrainSettings>,
  ports: DrainPorts,
): Promise<DrainPass> {
  const { dryRun } = await import("./dry-run.flow.ts");
  const { ec2Instance } = held;
  return dryRun({ instance, ec2Instance, settings, keeper, passEnds }, ports);
}

/** The drain of an instance, bounded by its notice and its hook. */
function orderOf(
  notice: Terminating,
  { receives, firstReceived }: Reception,
  { held, settings, keeper, passEnds }: HeldInstance<DrainSettings>,
  ports: DrainPorts,
): DrainOrder {
  const now = ports.clock.now();
  const start = boundsUnderHook({ notice, firstReceived }, held, settings, now);
  const { instance, group } = notice.action;
  return {
    instance,
    ec2Instance: held.ec2Instance,
    peers: held.peers,
    reason: "terminating",
    settings,
    start,
    receives,
    keeper: {
      ...keeper,
      atDeadline: atDeadline(group, held, settings, ports),
      letsGoFrom: letsGoFrom(start),
    },
    passEnds,
    unread: held.unread,
  };
}

/** Chooses between ending and keeping an instance that is not drained in time. Without retention ABANDON would end it at once. */
function atDeadline(
  group: GroupName,
  { onAbandon }: HeldByHook,
  settings: DrainSettings,
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

/** Touches nothing, except that it removes our mark from a node whose termination was called off mid-drain. */
async function leaveAlone(
  { reason, why, membership }: NotHeld,
  instance: InstanceId,
  mark: DrainMark,
  ports: DrainPorts,
): Promise<DrainPass> {
  if (isCalledOff(membership, mark.receives)) {
    const undone = await undoMark(instance, mark, ports);
    if (undone !== "settled") return undone;
  }
  return ignored(reason, why);
}
