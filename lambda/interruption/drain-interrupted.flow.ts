import {
  between,
  type Duration,
  type Instant,
  later,
  milliseconds,
  never,
  seconds,
  shortest,
} from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { undoMark } from "../drain/undo-mark.flow.ts";
import { type Ec2Answer, isThere, mayBeInterrupted, namesOf } from "../group/ec2-instance.ts";
import { begunAt } from "../notice/begun-at.ts";
import { ignored } from "../notice/outcome.ts";
import { restBeforeDrain } from "./capacity-block.ts";
import { describedSoon } from "./described-soon.flow.ts";
import {
  interruptedHeadStart,
  interruptedLengths,
  longestInQueues,
  takenWithin,
} from "./event-bounds.ts";
import type { Interrupted } from "./event-notice.ts";
import type { EventPass } from "./event-outcome.ts";
import {
  type AdmittedInstance,
  drainInHurry,
  type EventRequest,
  hurriedPass,
  isLate,
  rested,
  uninterrupted,
} from "./event-pass.flow.ts";
import type { EventPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";

/** One pass over an instance that EC2 takes back in two minutes: empties its node as far as that goes. */
export const drainInterrupted = (
  request: EventRequest<Interrupted>,
  policy: InterruptionPolicy,
  ports: EventPorts,
): Promise<EventPass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: async (found) => {
      const ec2Answer = await describedSoon(request.notice.instance, ports);
      const age = between(request.notice.since, ports.clock.now());
      if (ec2Answer === "throttled" && isPatient(request, ports.clock.now()))
        return rested("EC2 throttles, and is asked again", asksAgainIn, ports);
      const refuted =
        tryRefuted(request, { found, age, ec2Answer }) ??
        (await tryTooEarly(request, ec2Answer, ports));
      if (refuted !== undefined) return undone(refuted, request, { found, ec2Answer, ports });
      return drainInHurry(
        request,
        {
          reason: "interrupted",
          lengths: interruptedLengths(request.notice, age),
          headStart: interruptedHeadStart(request.receives),
          ec2Answer,
          ...wayOf(ec2Answer, found, policy),
        },
        ports,
      );
    },
  });

const asksAgainIn = seconds(2);
const throttledWait = seconds(30);
// Three quarters are left for the drain.
const throttledShare = 4;

/**
 * Whether a notice still waits while EC2 throttles: many untrue ones must not make each other true. It counts from the first
 * receive, which no sender can choose.
 */
function isPatient({ notice, firstReceived }: EventRequest<Interrupted>, now: Instant): boolean {
  const wait = shortest(throttledWait, milliseconds(notice.warning / throttledShare));
  return now < later(begunAt(firstReceived, now), wait);
}

const betweenQuestions = seconds(10);

/** The settings of an interruption's drain. While EC2 throttles, no budget is exceeded, and EC2 is asked again soon. */
function wayOf(
  ec2Answer: Ec2Answer,
  { drain: settings }: AdmittedInstance,
  policy: InterruptionPolicy,
): { readonly settings: DrainSettings; readonly policy: InterruptionPolicy } {
  if (ec2Answer !== "throttled") return { settings, policy };
  const pass = shortest(policy.pass, betweenQuestions);
  return { settings: { ...settings, force: "never" }, policy: { ...policy, pass } };
}

const otherThan = { spot: "capacity-reservation", "capacity-reservation": "spot" } as const;

/** An instance that an event calls interrupted, as far as it is known. */
interface Interruption {
  readonly found: AdmittedInstance;
  readonly age: Duration;
  readonly ec2Answer: Ec2Answer;
}

/** The last pass over a notice that EC2 refutes; `undefined` when it may be true. */
function tryRefuted(
  { notice }: EventRequest<Interrupted>,
  { found: { state }, age, ec2Answer }: Interruption,
): EventPass | undefined {
  const { instance, capacity } = notice;
  if (!mayBeInterrupted(ec2Answer, capacity)) return uninterrupted(instance, capacity);
  // An older notice was saved and sent again.
  const isOver = age >= takenWithin(notice) && age <= longestInQueues;
  return isOver && state === "InService" && isThere(ec2Answer)
    ? ignored(isLate(instance))
    : undefined;
}

/** The last pass over a notice whose instance is in a Capacity Block that does not end yet; `undefined` when it may be true. */
async function tryTooEarly(
  { notice: { instance } }: EventRequest<Interrupted>,
  ec2Answer: Ec2Answer,
  { blocks, clock }: EventPorts,
): Promise<EventPass | undefined> {
  if (typeof ec2Answer === "string" || ec2Answer.lifecycle !== "capacity-block") return undefined;
  const block = await blocks.around(instance);
  return block !== "unknown" && restBeforeDrain(block, clock.now()) === 0
    ? undefined
    : ignored(`the Capacity Block of instance ${instance} does not end yet`, "untrue");
}

/**
 * Takes back the mark of an earlier pass: EC2 was silent then, or throttled, or the instance has lived on. A mark whose time is
 * not over stays where it may be that of another notice, which may be true: in a first pass, and if EC2 may take the instance back
 * for lack of other capacity.
 */
async function undone(
  refuted: EventPass,
  { notice: { instance, capacity }, receives }: EventRequest<Interrupted>,
  {
    found: { drain },
    ec2Answer,
    ports,
  }: Pick<Interruption, "ec2Answer" | "found"> & { readonly ports: EventPorts },
): Promise<EventPass> {
  if (drain.mode === "dry-run") return refuted;
  const names = namesOf(ec2Answer);
  const isOthers = receives === 1 || mayBeInterrupted(ec2Answer, otherThan[capacity]);
  const dueBy = isOthers ? ports.clock.now() : never;
  const mark = { taints: drain.taints, of: "interrupted", receives, dueBy, names } as const;
  const answer = await undoMark(instance, mark, ports);
  return answer === "settled" ? refuted : answer;
}
