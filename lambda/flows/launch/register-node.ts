import type { LaunchPolicy, LaunchSettings } from "../../domain/launch/launch-policy.ts";
import { heldLaunching, isEarly } from "../../domain/notice/admission.ts";
import { launchBegun, tryOwnTime } from "../../domain/notice/begun-at.ts";
import { drainDeadline } from "../../domain/notice/drain-deadline.ts";
import type { ActionResult } from "../../domain/notice/lifecycle-action.ts";
import { waitBeforePass } from "../../domain/notice/next-pass.ts";
import type { Launching } from "../../domain/notice/notice.ts";
import type { Outcome, Pass } from "../../domain/notice/outcome.ts";
import { between, type Instant, later, minutes, never, seconds } from "../../domain/time.ts";
import { faultOf } from "../../fault.ts";
import type { LaunchPorts } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { guard, type Hold } from "../hook/guard.ts";
import { type Heartbeats, heartbeatsOf } from "../hook/heartbeats.ts";
import { type Awaited, awaitReady } from "./await-ready.ts";
import { registerRole } from "./register-role.ts";

/** A notice of a launching instance, as often as it has been received. */
export interface LaunchRequest {
  readonly notice: Launching;
  readonly receives: number;
}

/** One pass of a launch: lets the role of the instance join the cluster, and the instance go on once its node is ready. */
export async function registerNode(
  request: LaunchRequest,
  policy: LaunchPolicy,
  ports: LaunchPorts,
): Promise<Pass> {
  const { action } = request.notice;
  const passEnds = later(ports.clock.now(), policy.pass);
  const claim = { action, heldIn: heldLaunching, managed: policy.managed };
  const hold = await guard(claim, ports);
  if (hold.kind === "not-held") return leaveAlone(hold, request, ports);
  const { settings, refused } = policy.settingsFor(hold.tags);
  if (refused.length > 0)
    ports.journal.record({ kind: "warning", about: `group ${action.group}`, warnings: refused });
  const heartbeats = heartbeatsOf(action, hold.heartbeatTimeout, ports);
  const launch = { request, settings, hold, heartbeats, passEnds, ports };
  try {
    return await launchHeld(launch);
  } catch (cause) {
    return endInTime(cause, launch);
  }
}

type Held = Extract<Hold, { readonly kind: "held" }>;
type NotHeld = Extract<Hold, { readonly kind: "not-held" }>;

// Auto Scaling's own services hear of a new instance one after the other.
const patience = minutes(1);

/** Touches nothing; a notice that came before its time comes again. */
function leaveAlone(hold: NotHeld, { notice }: LaunchRequest, { clock }: LaunchPorts): Pass {
  const age = between(notice.since, clock.now());
  if (isEarly(hold.membership) && Math.abs(age) < patience)
    return { kind: "again", wait: seconds(5) };
  return done({ kind: "ignored", reason: hold.reason });
}

interface Launch {
  readonly request: LaunchRequest;
  readonly settings: LaunchSettings;
  readonly hold: Held;
  readonly heartbeats: Heartbeats;
  readonly passEnds: Instant;
  readonly ports: LaunchPorts;
}

async function launchHeld(launch: Launch): Promise<Pass> {
  const { request, settings, heartbeats, passEnds, ports } = launch;
  const { notice, receives } = request;
  const { action } = notice;
  const now = ports.clock.now();
  const ec2Instance = await ports.instances.describe(action.instance);
  if (ec2Instance === "unknown")
    return handBack(
      `EC2 does not know ${action.instance} yet`,
      launchBegun(notice, now, now),
      launch,
    );
  const begun = launchBegun(notice, ec2Instance.launched, now);
  const registered = await registerRole(action.instance, ec2Instance, ports);
  if (registered.kind === "registered" && !isAwaited(launch))
    return release({ kind: "registered", role: registered.role }, "CONTINUE", launch);
  const unmapped = registered.kind === "registered" ? "" : registered.reason;
  const deadline = deadlineOf(begun, launch);
  const awaiting = {
    action,
    ec2Instance,
    unmapped,
    settings,
    receives,
    deadline,
    passEnds,
    heartbeats,
  };
  return conclude(await awaitReady(awaiting, ports), begun, launch);
}

/** An instance on its way into a warm pool is stopped there before its node is ready. */
const isAwaited = ({ settings, hold }: Launch): boolean =>
  settings.gate === "on" && !hold.state.startsWith("Warmed:");

const deadlineOf = (begun: Instant, { settings, hold }: Launch): Instant =>
  drainDeadline(
    begun,
    { timeout: settings.timeout, volumeTimeout: seconds(0) },
    hold.heartbeatTimeout,
  );

function conclude(awaited: Awaited, begun: Instant, launch: Launch): Promise<Pass> | Pass {
  switch (awaited.kind) {
    case "finish": {
      const { outcome } = awaited;
      return release(outcome, outcome.kind === "joined" ? "CONTINUE" : outcome.result, launch);
    }
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "unfinished":
      return handBack(awaited.reason, begun, launch);
  }
}

/**
 * A launch that cannot go on is tried again until its deadline; then the instance goes on all the same, or is given
 * up, as it would be if its node were not ready.
 */
async function endInTime(cause: unknown, launch: Launch): Promise<Pass> {
  const { request, settings, hold, ports } = launch;
  const { clock, journal } = ports;
  const fault = faultOf(cause);
  const own = tryOwnTime(request.notice, clock.now());
  const deadline = own === undefined ? never : deadlineOf(own, launch);
  if (clock.now() < deadline) throw fault.within(hold.heartbeatTimeout / 3);
  const { message: reason } = fault;
  journal.record(faultEntry(fault));
  const { atDeadline: result } = settings;
  return release({ kind: "not-joined", reason, result }, result, launch);
}

/** Completes the hook: the last thing a launch does, whatever came of it. */
async function release(outcome: Outcome, result: ActionResult, launch: Launch): Promise<Pass> {
  const { request, ports } = launch;
  const { action } = request.notice;
  const answer = await ports.groups.complete(action, result);
  if (answer === "no-active-action") return done({ kind: "released-elsewhere" });
  ports.journal.record({ kind: "hook-completed", action, result });
  return done(outcome);
}

function handBack(reason: string, since: Instant, launch: Launch): Pass {
  const { request, hold, ports } = launch;
  const { receives } = request;
  const { heartbeatTimeout } = hold;
  const now = ports.clock.now();
  const deadline = deadlineOf(since, launch);
  const stands = { now, since, deadline, progressed: false, nextForce: never };
  const wait = waitBeforePass({ ...stands, receives, heartbeatTimeout });
  ports.journal.record({ kind: "pass-ended", left: [reason], wait });
  return { kind: "again", wait };
}

const done = (outcome: Outcome): Pass => ({ kind: "done", outcome });
