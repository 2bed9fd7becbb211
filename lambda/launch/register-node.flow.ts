import { sleepFor } from "../base/clock.port.ts";
import { between, later, minutes, never, seconds } from "../base/time.ts";
import {
  type BoundsAtStart,
  boundsByTrace,
  boundsUnderHook,
  type DrainBounds,
  letsGoFrom,
} from "../drain/drain-bounds.ts";
import { heldLaunching, isEarly } from "../notice/admission.ts";
import type { Reception } from "../notice/begun-at.ts";
import { endInTime } from "../notice/end-in-time.flow.ts";
import type { HeldByHook, NotHeld } from "../notice/guard.flow.ts";
import { type HeldInstance, type HeldPolicy, heldPass } from "../notice/held-pass.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { release } from "../notice/keeper.flow.ts";
import type { Launching } from "../notice/notice.ts";
import { done, ignored, type Outcome, type Pass } from "../notice/outcome.ts";
import { handBack } from "../notice/run-pass.flow.ts";
import { type Awaited, awaitReady } from "./await-ready.flow.ts";
import type { LaunchPorts } from "./launch.port.ts";
import type { LaunchSettings } from "./launch-policy.ts";
import type { AwaitPorts } from "./namesake.flow.ts";
import {
  needsSomebody,
  type RoleState,
  registerAgain,
  registerRole,
  restOf,
  startRegistering,
} from "./register-role.flow.ts";

/** A notice of a launching instance, and how it came. */
export interface LaunchRequest extends Reception {
  readonly notice: Launching;
}

/** One pass of a launch: lets the role of the instance join the cluster, and completes the hook once the node is ready. */
export async function registerNode(
  request: LaunchRequest,
  policy: HeldPolicy<LaunchSettings>,
  ports: AwaitPorts,
): Promise<Pass> {
  const pass = {
    action: request.notice.action,
    transition: "launching" as const,
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
  readonly verdict: Verdict;
}

/** What a pass has seen to be the end of a launch, should its hook not be completed at the first try. */
interface Verdict {
  end: Outcome | "none";
}

/** The launch of an instance, bounded by its notice and its hook; there are no volumes to wait for. */
function launchOf(
  request: LaunchRequest,
  instance: HeldInstance<LaunchSettings>,
  { clock, journal }: LaunchPorts,
): HeldLaunch {
  const { held } = instance;
  if (held.unread !== "none") journal.record({ ...faultEntry(held.unread), retryable: true });
  const atDeadline = isWellKnown(held) ? instance.settings.atDeadline : "CONTINUE";
  const settings = { ...instance.settings, atDeadline } as const;
  const timeouts = { timeout: settings.timeout, volumeTimeout: seconds(0) };
  const start = boundsUnderHook(request, { ...held, timeouts }, clock.now());
  const keeper = { ...instance.keeper, letsGoFrom: letsGoFrom(start) };
  return { ...request, ...instance, keeper, settings, start, verdict: { end: "none" } };
}

/**
 * Whether an instance may be ended at the deadline of its launch. All of these:
 * - its tags could be read, one of which may say that it is to go on;
 * - its state could be read, which may be that of a warm pool, where no node becomes ready;
 * - its hook is held until then, and does not end earlier than is configured.
 */
const isWellKnown = ({ unread, state, heartbeats }: HeldByHook): boolean =>
  unread === "none" && state !== "" && heartbeats === "taken";

/** If a launch keeps failing, nobody knows at its deadline whether the node is ready, and the instance goes on. */
function launchInstance(launch: HeldLaunch, ports: AwaitPorts): Promise<Pass> {
  const { start, keeper, verdict } = launch;
  const pass = {
    start,
    work: () => launchHeld(launch, ports),
    retryWithin: () => start.bounds.longestRest,
    giveUp: (reason: string) =>
      release(keeper, verdict.end === "none" ? unseen(reason, launch) : verdict.end, ports),
  };
  return endInTime(pass, ports);
}

/** The end of a launch whose node could not be looked at: what may be ready is not ended. */
const unseen = (reason: string, launch: HeldLaunch): Outcome =>
  isAwaited(launch)
    ? { kind: "not-joined", reason: `its node could not be seen: ${reason}`, result: "CONTINUE" }
    : { kind: "not-registered", reason };

interface BoundedLaunch extends HeldLaunch {
  readonly bounds: DrainBounds;
}

async function launchHeld(launch: HeldLaunch, ports: AwaitPorts): Promise<Pass> {
  const { start, notice, held } = launch;
  const { action } = notice;
  const { ec2Instance: described } = held;
  if (!isAwaited(launch))
    return registerOnly(await registerRole(action.instance, described, ports), launch, ports);
  const role = await startRegistering(action.instance, described, ports);
  const now = ports.clock.now();
  const { ec2Instance } = role;
  const trace = ec2Instance === "unknown" ? now : ec2Instance.launched;
  const bounded = { ...launch, bounds: boundsByTrace(start, trace, now) };
  const { deadline } = bounded.bounds;
  return conclude(await awaitReady({ ...launch, action, role, deadline }, ports), bounded, ports);
}

/** An instance on its way into a warm pool is stopped there before its node is ready. */
const isAwaited = ({ settings, held }: HeldLaunch): boolean =>
  settings.gate === "on" && !held.state.startsWith("Warmed:");

/**
 * Completes the hook of an instance whose node is not waited for, as soon as its role is registered. A role that nobody but its
 * owner can set right holds no instance, and ends none; anything else is tried again until the pass is over.
 */
async function registerOnly(
  role: RoleState,
  launch: HeldLaunch,
  ports: LaunchPorts,
): Promise<Pass> {
  const { keeper, passEnds, notice } = launch;
  const { instance } = notice.action;
  if (role.kind === "registered")
    return release(keeper, { kind: "registered", role: role.role }, ports);
  const rest = restOf(role);
  if (needsSomebody(role) || later(ports.clock.now(), rest) > passEnds)
    return release(keeper, { kind: "not-registered", reason: role.reason }, ports);
  await sleepFor(rest, ports.clock);
  if ((await keeper.heartbeats.send()) === "no-active-action")
    return done({ kind: "released-elsewhere" });
  return registerOnly(await registerAgain(instance, role, ports), launch, ports);
}

async function conclude(
  awaited: Awaited,
  launch: BoundedLaunch,
  ports: LaunchPorts,
): Promise<Pass> {
  switch (awaited.kind) {
    case "finish":
      launch.verdict.end = awaited.outcome;
      return release(launch.keeper, awaited.outcome, ports);
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
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
