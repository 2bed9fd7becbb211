import type { LaunchPolicy, LaunchSettings } from "../../domain/launch/launch-policy.ts";
import type { Ec2Instance } from "../../domain/node/ec2-instance.ts";
import { heldLaunching, isEarly } from "../../domain/notice/admission.ts";
import type { Reception } from "../../domain/notice/begun-at.ts";
import {
  type BoundsAtStart,
  boundsAtStart,
  boundsByTrace,
  type DrainBounds,
  hookLengths,
} from "../../domain/notice/drain-bounds.ts";
import type { Launching } from "../../domain/notice/notice.ts";
import { done, type Pass } from "../../domain/notice/outcome.ts";
import { between, minutes, never, seconds } from "../../domain/time.ts";
import type { LaunchPorts } from "../../ports/ports.ts";
import { endInTime } from "../end-in-time.ts";
import { handBack } from "../hand-back.ts";
import type { NotHeld } from "../hook/guard.ts";
import { type HeldInstance, heldPass } from "../hook/held-pass.ts";
import { release } from "../hook/keeper.ts";
import { type Awaited, awaitReady } from "./await-ready.ts";
import { registerRole } from "./register-role.ts";

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
  { membership, reason }: NotHeld,
  { notice }: LaunchRequest,
  { clock, journal }: LaunchPorts,
): Pass {
  const age = between(notice.since, clock.now());
  if (!isEarly(membership) || Math.abs(age) >= patience) return done({ kind: "ignored", reason });
  const wait = seconds(5);
  journal.record({ kind: "pass-ended", left: [reason], wait });
  return { kind: "again", wait };
}

interface Launch extends LaunchRequest, HeldInstance<LaunchSettings> {
  readonly start: BoundsAtStart;
}

/** The launch of an instance, bounded by its notice and its hook; there are no volumes to wait for. */
function launchOf(
  request: LaunchRequest,
  instance: HeldInstance<LaunchSettings>,
  { clock }: LaunchPorts,
): Launch {
  const { held, settings } = instance;
  const timeouts = { timeout: settings.timeout, volumeTimeout: seconds(0) };
  const lengths = hookLengths(timeouts, held.heartbeatTimeout);
  const start = boundsAtStart(request, lengths, clock.now());
  return { ...request, ...instance, start };
}

/** If a launch keeps failing, its deadline decides about the instance as for a node that is not ready. */
function launchInstance(launch: Launch, ports: LaunchPorts): Promise<Pass> {
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

interface BoundedLaunch extends Launch {
  readonly bounds: DrainBounds;
}

async function launchHeld(launch: Launch, ports: LaunchPorts): Promise<Pass> {
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
const isAwaited = ({ settings, held }: Launch): boolean =>
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
  handBack([reason], { ...bounds, receives, progressed: false, nextForce: never }, ports);
