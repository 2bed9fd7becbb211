import { sleepFor } from "../base/clock.port.ts";
import {
  between,
  earliest,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../base/time.ts";
import { boundsByTrace, boundsUnderHook, letsGoFrom } from "../drain/drain-bounds.ts";
import { heldLaunching, isEarly } from "../notice/admission.ts";
import { begunAt, type Reception } from "../notice/begun-at.ts";
import { endInTime } from "../notice/end-in-time.flow.ts";
import type { HeldByHook, NotHeld } from "../notice/guard.flow.ts";
import { type HeldInstance, type HeldPolicy, heldPass } from "../notice/held-pass.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { isTokenless, type Keeper, quietRest, release } from "../notice/keeper.flow.ts";
import type { NamedCluster } from "../notice/notice.port.ts";
import { done, growingRest, ignored } from "../notice/outcome.ts";
import { handBack } from "../notice/run-pass.flow.ts";
import { type Awaited, awaitReady, type LaunchOrder } from "./await-ready.flow.ts";
import type { LaunchPorts } from "./launch.port.ts";
import type { LaunchOutcome, LaunchPass } from "./launch-outcome.ts";
import type { LaunchSettings } from "./launch-policy.ts";
import type { LaunchEnd } from "./launch-step.ts";
import type { Launching } from "./launching.ts";
import type { AwaitPorts } from "./namesake.flow.ts";
import {
  needsSomebody,
  type RoleState,
  registerAgain,
  registerRole,
  restOf,
  startRegistering,
} from "./register-role.flow.ts";

/** One pass of a launch: registers the role of the instance, and completes the hook once the node is ready. */
export async function registerNode(
  notice: Launching,
  reception: Reception,
  policy: HeldPolicy<LaunchSettings>,
  ports: AwaitPorts & NamedCluster,
): Promise<LaunchPass> {
  const pass = {
    action: notice.action,
    transition: "launching" as const,
    heldIn: heldLaunching,
    policy,
    goOn: async (instance: HeldInstance<LaunchSettings>) => {
      const since = await sinceLaunched(notice, reception, instance);
      return launchInstance(orderOf({ ...notice, since }, reception, instance, ports), ports);
    },
    leaveAlone: (instance: NotHeld) => leaveAlone(instance, notice, reception, ports),
  };
  return heldPass(pass, ports);
}

// Not all services behind Auto Scaling know a new instance at the same time.
const settlingTime = minutes(1);

/** Touches nothing. A notice that came too early comes again, ever less often: many may come about instances that nobody knows. */
function leaveAlone(
  { membership, reason, why }: NotHeld,
  notice: Launching,
  reception: Reception,
  { clock, journal }: LaunchPorts,
): LaunchPass {
  const now = clock.now();
  const age = between(earliest(notice.since, begunAt(reception.firstReceived, now)), now);
  if (!isEarly(membership) || age >= settlingTime) return ignored(reason, why);
  const wait = growingRest(reception.receives);
  journal.record({ kind: "pass-ended", left: [{ about: "", why: reason }], wait });
  return { kind: "again", wait };
}

// A notice is here within seconds.
const underWay = minutes(2);

/**
 * The time of the notice. Its sender chooses that time, so a notice that seems to have been under way for long counts at the
 * earliest from the launch in EC2. An instance out of a warm pool may have run there for days: half of its time is left when the
 * notice is first received.
 */
async function sinceLaunched(
  { since }: Launching,
  { firstReceived }: Reception,
  { held: { ec2Instance }, settings: { timeout } }: HeldInstance<LaunchSettings>,
): Promise<Instant> {
  if (between(since, firstReceived) < underWay) return since;
  // The registration of the role awaits the same answer, and records why it failed.
  const found = await ec2Instance.catch(() => "unknown" as const);
  const known = found === "unknown" ? since : latest(since, found.launched);
  return firstReceived === never
    ? known
    : latest(known, later(firstReceived, milliseconds(-timeout / 2)));
}

// Long enough for a node that is ready.
const briefLook = seconds(3);

/** The launch of an instance, bounded by its notice and its hook; there are no volumes to wait for. */
function orderOf(
  notice: Launching,
  { receives, firstReceived }: Reception,
  { held, settings: wished, keeper, passEnds }: HeldInstance<LaunchSettings>,
  { clock, journal }: LaunchPorts,
): LaunchOrder {
  if (held.unread !== "none") journal.record({ ...faultEntry(held.unread), retryable: true });
  const atDeadline = isWellKnown(held) ? wished.atDeadline : "CONTINUE";
  const settings = { ...wished, atDeadline } as const;
  const timeouts = { timeout: settings.timeout, volumeTimeout: seconds(0) };
  const now = clock.now();
  const start = boundsUnderHook({ notice, firstReceived }, held, timeouts, now);
  return {
    instance: notice.action.instance,
    awaits: isStopped(held) || settings.gate === "off" ? "role-registered" : "node-ready",
    settings,
    start,
    receives,
    passEnds: isTokenless(keeper) ? earliest(passEnds, later(now, briefLook)) : passEnds,
    keeper: { ...keeper, letsGoFrom: letsGoFrom(start) },
    ec2Instance: held.ec2Instance,
  };
}

/** Whether an instance is on its way into a warm pool, where it is stopped before its node is ready. */
const isStopped = ({ state }: HeldByHook): boolean => state.startsWith("Warmed:");

/**
 * Whether an instance may be ended at the deadline of its launch. All of these:
 * - its tags could be read, one of which may say that it is to go on;
 * - its state could be read, which may be that of a warm pool, where no node becomes ready;
 * - its hook is held until then, and does not end earlier than is configured.
 */
const isWellKnown = ({ unread, state, heartbeats }: HeldByHook): boolean =>
  unread === "none" && state !== "" && heartbeats !== "denied";

/** Runs a launch. If it keeps failing, nobody knows at its deadline whether the node is ready, so the instance stays. */
function launchInstance(order: LaunchOrder, ports: AwaitPorts): Promise<LaunchPass> {
  const { start, keeper } = order;
  // The hook may not be completed at the first try.
  let seen: LaunchEnd | undefined;
  const pass = {
    start,
    work: async () => {
      const end = await launchHeld(order, ports);
      if (end.kind !== "joined" && end.kind !== "not-joined") return end;
      seen = end;
      return releaseLaunched(keeper, end, ports);
    },
    retryWithin: () => start.bounds.longestRest,
    giveUp: (reason: string) => releaseLaunched(keeper, seen ?? unseen(reason, order), ports),
  };
  return endInTime(pass, ports);
}

/** Completes the hook with the result of the outcome. */
function releaseLaunched(
  keeper: Keeper,
  outcome: LaunchOutcome,
  ports: LaunchPorts,
): Promise<LaunchPass> {
  const result = outcome.kind === "not-joined" ? outcome.result : "CONTINUE";
  return release(keeper, outcome, ports, { result, ifCompleted: "lost" });
}

/** The end of a launch whose node could not be read: an instance whose node may be ready is not ended. */
const unseen = (reason: string, { awaits }: LaunchOrder): LaunchOutcome =>
  awaits === "node-ready"
    ? { kind: "not-joined", reason: `its node could not be seen: ${reason}`, result: "CONTINUE" }
    : { kind: "not-registered", reason };

async function launchHeld(order: LaunchOrder, ports: AwaitPorts): Promise<LaunchEnd | LaunchPass> {
  const { instance, start, awaits } = order;
  if (awaits === "role-registered")
    return registerOnly(await registerRole(instance, order.ec2Instance, ports), order, ports);
  const role = await startRegistering(instance, order.ec2Instance, ports);
  const now = ports.clock.now();
  const { ec2Instance } = role;
  const trace = ec2Instance === "unknown" ? now : ec2Instance.launched;
  const bounds = boundsByTrace(start, trace, now);
  const bounded: LaunchOrder = { ...order, start: { kind: "known", bounds } };
  return endOf(await awaitReady(bounded, role, ports), bounded, ports);
}

/**
 * Completes the hook of an instance whose node is not waited for, as soon as its role is registered. A role that only its
 * owner can mend neither holds nor ends an instance; after other failures it tries again until the pass is over.
 */
async function registerOnly(
  role: RoleState,
  order: LaunchOrder,
  ports: LaunchPorts,
): Promise<LaunchPass> {
  const { instance, keeper, passEnds } = order;
  if (role.kind === "registered")
    return release(keeper, { kind: "registered", role: role.role }, ports);
  const rest = restOf(role);
  if (needsSomebody(role) || later(ports.clock.now(), rest) > passEnds)
    return release(keeper, { kind: "not-registered", reason: role.reason }, ports);
  await sleepFor(rest, ports.clock);
  if ((await keeper.heartbeats.send()) === "no-active-action")
    return done({ kind: "released-elsewhere" });
  return registerOnly(await registerAgain(instance, role, ports), order, ports);
}

/** The end of a launch, or its notice handed back. */
function endOf(
  awaited: Awaited,
  { start, receives, keeper }: LaunchOrder,
  ports: LaunchPorts,
): LaunchEnd | LaunchPass {
  switch (awaited.kind) {
    case "finish":
      return awaited.outcome;
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "unfinished": {
      const left = [{ about: "", why: awaited.reason }];
      const { begun, deadline, longestRest } = start.bounds;
      const handback = {
        begun,
        deadline,
        longestRest,
        ...quietRest(keeper),
        receives,
        progressed: false,
        nextForce: never,
      };
      return handBack(left, handback, ports);
    }
  }
}
