import { between, minutes, never, seconds } from "../base/time.ts";
import {
  type BoundsAtStart,
  boundsAtStart,
  boundsByTrace,
  type DrainBounds,
  hookLengths,
} from "../drain/drain-bounds.ts";
import type { Ec2Instance } from "../drain/ec2-instance.ts";
import { heldLaunching, isEarly } from "../notice/admission.ts";
import type { Reception } from "../notice/begun-at.ts";
import { endInTime } from "../notice/end-in-time.flow.ts";
import type { NotHeld } from "../notice/guard.flow.ts";
import { type HeldInstance, heldPass } from "../notice/held-pass.flow.ts";
import { release } from "../notice/keeper.flow.ts";
import type { Launching } from "../notice/notice.ts";
import { done, ignored, type Pass } from "../notice/outcome.ts";
import { handBack } from "../notice/run-pass.flow.ts";
import type { LaunchPorts } from "../registrations/ports.ts";
import { type Awaited, awaitReady } from "./await-ready.flow.ts";
import type { LaunchPolicy, LaunchSettings } from "./launch-policy.ts";
import { registerRole } from "./register-role.flow.ts";

/** A notice of a launching instance, and how it came. */
export interface LaunchRequest extends Reception {
  readonly notice: Launching;
}

/** One pass of a launch: lets the role of the instance join the cluster, and completes the hook once the node is ready. */
export async function registerNode(
  request: LaunchRequest,
  policy: LaunchPolicy,
  ports: LaunchPorts,
): Promise<Pass> {
  const pass = {
    action: request.notice.action,
    heldIn: heldLaunching,
    policy,
    goOn: (instance: HeldInstance<LaunchSettings>) =>
      launchInstance(launchOf(request, instance, ports), ports),
    leaveAlone: (instance: NotHeld) => leaveAlone(instance, request, ports),
  };
  return heldPass(pass, ports);
}

// The services behind Auto Scaling do not all learn of a new instance at the same time.
const patience = minutes(1);

/** Touches nothing. A notice that came too early comes again. */
function leaveAlone(
  { membership, reason, why }: NotHeld,
  { notice }: LaunchRequest,
  { clock, journal }: LaunchPorts,
): Pass {
  const age = between(notice.since, clock.now());
  if (!isEarly(membership) || Math.abs(age) >= patience) return ignored(reason, why);
  const wait = seconds(5);
  journal.record({ kind: "pass-ended", left: [{ about: "", why: reason }], wait });
  return { kind: "again", wait };
}

interface HeldLaunch extends LaunchRequest, HeldInstance<LaunchSettings> {
  readonly start: BoundsAtStart;
}

/** The launch of an instance, bounded by its notice and its hook; there are no volumes to wait for. */
function launchOf(
  request: LaunchRequest,
  instance: HeldInstance<LaunchSettings>,
  { clock }: LaunchPorts,
): HeldLaunch {
  const { held, settings } = instance;
  const timeouts = { timeout: settings.timeout, volumeTimeout: seconds(0) };
  const lengths = hookLengths(timeouts, held.heartbeatTimeout);
  const start = boundsAtStart(request, lengths, clock.now());
  return { ...request, ...instance, start };
}

/** If a launch keeps failing, its deadline decides about the instance as for a node that is not ready. */
function launchInstance(launch: HeldLaunch, ports: LaunchPorts): Promise<Pass> {
  const { start, keeper, settings } = launch;
  const { atDeadline: result } = settings;
  const pass = {
    start,
    work: () => launchHeld(launch, ports),
    retryWithin: () => start.bounds.longestRest,
    giveUp: (reason: string) => release(keeper, { kind: "not-joined", reason, result }, ports),
  };
  return endInTime(pass, ports);
}

interface BoundedLaunch extends HeldLaunch {
  readonly bounds: DrainBounds;
}

async function launchHeld(launch: HeldLaunch, ports: LaunchPorts): Promise<Pass> {
  const { start, notice, held } = launch;
  const { instance } = notice.action;
  const now = ports.clock.now();
  const ec2Instance = await held.ec2Instance;
  const trace = ec2Instance === "unknown" ? now : ec2Instance.launched;
  const bounded = { ...launch, bounds: boundsByTrace(start, trace, now) };
  return ec2Instance === "unknown"
    ? comeBack(`EC2 does not know ${instance} yet`, bounded, ports)
    : registerAndAwait(ec2Instance, bounded, ports);
}

async function registerAndAwait(
  ec2Instance: Ec2Instance,
  launch: BoundedLaunch,
  ports: LaunchPorts,
): Promise<Pass> {
  const { notice, bounds, keeper } = launch;
  const { action } = notice;
  const registered = await registerRole(action.instance, ec2Instance, ports);
  if (registered.kind === "registered" && !isAwaited(launch))
    return release(keeper, registered, ports);
  const unmapped = registered.kind === "registered" ? "" : registered.reason;
  const { deadline } = bounds;
  const awaiting = { ...launch, action, ec2Instance, unmapped, deadline };
  return conclude(await awaitReady(awaiting, ports), launch, ports);
}

/** An instance on its way into a warm pool is stopped there before its node is ready. */
const isAwaited = ({ settings, held }: HeldLaunch): boolean =>
  settings.gate === "on" && !held.state.startsWith("Warmed:");

async function conclude(
  awaited: Awaited,
  launch: BoundedLaunch,
  ports: LaunchPorts,
): Promise<Pass> {
  switch (awaited.kind) {
    case "finish":
      return release(launch.keeper, awaited.outcome, ports);
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "role-found":
      return registerAndAwait(awaited.ec2Instance, launch, ports);
    case "unfinished":
      return comeBack(awaited.reason, launch, ports);
  }
}

const comeBack = (reason: string, { bounds, receives }: BoundedLaunch, ports: LaunchPorts): Pass =>
  handBack(
    [{ about: "", why: reason }],
    { ...bounds, receives, progressed: false, nextForce: never },
    ports,
  );
