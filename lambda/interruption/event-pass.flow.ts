import { faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import { type Duration, later, seconds } from "../base/time.ts";
import { boundsAtStart, type DrainLengths } from "../drain/drain-bounds.ts";
import { drainInstance } from "../drain/drain-instance.flow.ts";
import type { DrainOrder } from "../drain/drain-order.flow.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { dryRun } from "../drain/dry-run.flow.ts";
import type { Reason } from "../drain/reason.ts";
import type { Ec2Answer, InterruptibleCapacity } from "../group/ec2-instance.ts";
import type { Reception } from "../notice/begun-at.ts";
import { logRefused } from "../notice/log-refused.flow.ts";
import type { AnyNotice } from "../notice/notice.ts";
import { ignored } from "../notice/outcome.ts";
import { admitted } from "./admitted.flow.ts";
import { type EventAdmission, isWarm } from "./event-admission.ts";
import { hurried } from "./event-bounds.ts";
import type { EventPass } from "./event-outcome.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy, InterruptionSettings } from "./interruption-policy.ts";

/** A notice of one instance that no hook holds, and how it came. */
export interface EventRequest<N extends AnyNotice = AnyNotice> extends Reception {
  readonly notice: N & { readonly instance: InstanceId };
}

/** An instance of a managed group, and how its group wants it treated. */
export type AdmittedInstance = InterruptionSettings & Extract<EventAdmission, { kind: "admitted" }>;

/** The work on an instance of a managed group. */
export interface EventWork {
  readonly ports: InterruptionPorts;
  goOn(found: AdmittedInstance): Promise<EventPass>;
}

/** Works on a notice that no hook holds if it is about an instance of a managed group; ignores any other, with the reason. */
export const eventPass = async (
  { notice: { instance } }: EventRequest,
  policy: InterruptionPolicy,
  work: EventWork,
): Promise<EventPass> => ifAdmitted(await admitted(instance, policy, work.ports), policy, work);

// A queue's usual rests after a fault would take most of two minutes.
const retriedWithin = seconds(3);

/**
 * Like `eventPass`, for an instance with little time: a fault is retried within seconds, and an instance in the warm pool is
 * left alone.
 */
export async function hurriedPass(
  request: EventRequest,
  policy: InterruptionPolicy,
  work: EventWork,
): Promise<EventPass> {
  const goOn = async (found: AdmittedInstance) =>
    isWarm(found.state)
      ? ignored(
          `instance ${request.notice.instance} is ${found.state}: it is in the warm pool`,
          "in warm pool",
        )
      : work.goOn(found);
  // Its group may be managed since the last notice, and for the next one there is no time.
  work.ports.admissions.forget(request.notice.instance);
  try {
    return await eventPass(request, policy, { ...work, goOn });
  } catch (cause) {
    const fault = faultOf(cause);
    throw fault.within(Math.min(fault.retryWithin, retriedWithin));
  }
}

/** The last pass over a notice of an interruption whose instance EC2 does not interrupt. */
export const uninterrupted = (instance: InstanceId, capacity: InterruptibleCapacity): EventPass =>
  ignored(`instance ${instance} is ${isNone[capacity]}, so EC2 does not interrupt it`, "untrue");

const isNone = {
  spot: "no Spot instance",
  "capacity-reservation": "in no interruptible Capacity Reservation and no Capacity Block",
} as const;

/** Why a notice of an end is ignored that came too late. */
export const isLate = (instance: InstanceId): string =>
  `instance ${instance} runs, and the notice of its end is late`;

/** Returns a notice, and logs what it waits for. */
export function rested(
  why: string,
  wait: Duration,
  { journal }: Pick<InterruptionPorts, "journal">,
): EventPass {
  journal.record({ kind: "pass-ended", left: [{ about: "", why }], wait });
  return { kind: "again", wait };
}

/** Does the work if the instance is admitted, with the settings of its group. */
export async function ifAdmitted(
  admission: EventAdmission,
  policy: InterruptionPolicy,
  { ports, goOn }: EventWork,
): Promise<EventPass> {
  if (admission.kind === "refused") return ignored(admission.reason, admission.why);
  return goOn({ ...admission, ...settingsOf(admission, policy, ports) });
}

/**
 * The settings of a group for its instances; the journal gets the reasons why some of its tags do
 * not count.
 */
export const settingsOf = (
  { group, tags }: Extract<EventAdmission, { kind: "admitted" }>,
  policy: InterruptionPolicy,
  ports: InterruptionPorts,
): InterruptionSettings => logRefused(policy.settingsFor(tags), group, ports);

/** Why, how, and for how long an instance is drained that no hook holds. */
export interface EventDrain extends Omit<StartedDrain, "start"> {
  readonly lengths: DrainLengths;
}

/** The same, from a start that is known. */
export interface StartedDrain extends Pick<DrainOrder, "start"> {
  readonly reason: Reason;
  readonly settings: DrainSettings;
  /** The rest after the node is marked. @default not at all */
  readonly headStart?: Duration;
  /** EC2's answer about the instance. @default EC2 is asked now */
  readonly ec2Answer?: Ec2Answer;
  readonly policy: InterruptionPolicy;
}

/** Drains an instance that no hook holds, in the little time that it has. */
export function drainInHurry(
  request: EventRequest,
  drain: EventDrain,
  ports: InterruptionPorts,
): Promise<EventPass> {
  const settings = hurried(drain.settings, drain.lengths);
  return drainEvent(request, { ...drain, settings }, ports);
}

/** Drains an instance that no hook holds. */
export const drainEvent = (
  request: EventRequest,
  { lengths, ...drain }: EventDrain,
  ports: InterruptionPorts,
): Promise<EventPass> =>
  drainFrom(
    request,
    { ...drain, start: boundsAtStart(request, lengths, ports.clock.now()) },
    ports,
  );

/** The same, from a start that is known. */
export function drainFrom(
  { notice: { instance }, receives }: Pick<EventRequest, "notice" | "receives">,
  { reason, start, policy, settings, ec2Answer, headStart = seconds(0) }: StartedDrain,
  ports: InterruptionPorts,
): Promise<EventPass> {
  const order: DrainOrder = {
    instance,
    ...(ec2Answer !== undefined && { ec2Instance: Promise.resolve(ec2Answer) }),
    peers: [],
    reason,
    settings,
    start,
    receives,
    keeper: { kind: "none" },
    passEnds: later(ports.clock.now(), policy.pass),
    headStart,
  };
  return settings.mode === "dry-run" ? dryRun(order, ports) : drainInstance(order, ports);
}
