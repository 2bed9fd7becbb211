import type { InstanceId } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { seconds, timestamp } from "../base/time.ts";
import { undoMark } from "../drain/undo-mark.flow.ts";
import { done, ignored } from "../notice/outcome.ts";
import { allAdmitted } from "./admitted.flow.ts";
import {
  blockBounds,
  blockDrainFrom,
  type CapacityBlock,
  instancesEnd,
  restBeforeDrain,
} from "./capacity-block.ts";
import { isWarm } from "./event-admission.ts";
import type { BlockExpiring } from "./event-notice.ts";
import type { EventPass } from "./event-outcome.ts";
import {
  type AdmittedInstance,
  drainFrom,
  type EventRequest,
  eventPass,
  rested,
} from "./event-pass.flow.ts";
import type { EventPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";

/** A notice of the end of a Capacity Block, and what a pass over it needs. */
export interface BlockRequest extends Pick<EventRequest, "firstReceived" | "receives"> {
  readonly notice: BlockExpiring;
  readonly policy: InterruptionPolicy;
  readonly ports: EventPorts;
}

/**
 * One pass over the end of a Capacity Block. EC2 says when that is, whatever the event does. Until then the notice waits;
 * then it becomes a notice for each instance in the block, and such a notice drains the instance.
 */
export async function drainBlock(request: BlockRequest): Promise<EventPass> {
  const { notice, policy, ports } = request;
  const { instance } = notice;
  if (instance !== "each") {
    const goOn = (found: AdmittedInstance) => drainOne(found, { ...request, instance });
    return eventPass({ ...request, notice: { ...notice, instance } }, policy, { ports, goOn });
  }
  const standing = await standingOf(request);
  return standing.kind === "due"
    ? ports.passedOnBlocks.recall(notice.reservation, () => passOn(request))
    : standing.end;
}

/** The block whose drains are due, or the end of the pass. */
type Standing =
  | { readonly kind: "due"; readonly block: CapacityBlock }
  | { readonly kind: "not due"; readonly end: EventPass };

async function standingOf({ notice: { reservation }, ports }: BlockRequest): Promise<Standing> {
  const block = await ports.blocks.find(reservation);
  if (block === "unknown") {
    const end = ignored(`EC2 knows no active Capacity Block ${reservation}`, "untrue");
    return { kind: "not due", end };
  }
  const wait = restBeforeDrain(block, ports.clock.now());
  if (wait === 0) return { kind: "due", block };
  const [end, from] = [timestamp(instancesEnd(block)), timestamp(blockDrainFrom(block))];
  const why = `EC2 ends the instances of Capacity Block ${reservation} at ${end}, and their drains begin at ${from}`;
  return { kind: "not due", end: rested(why, wait, ports) };
}

// A block has up to some hundred instances.
const together = 10;

/** Sends a notice of its own about each instance of a managed group in the block, however many notices name it. After a fault all are sent again, which drains none twice. */
async function passOn({ notice, policy, ports }: BlockRequest): Promise<EventPass> {
  const { reservation } = notice;
  const running = await ports.blocks.instancesIn(reservation, "each");
  if (running.length === 0) return ignored(`no instance runs in Capacity Block ${reservation}`);
  const admissions = await allAdmitted(running, policy, ports);
  const managed = Array.from(admissions).flatMap(([instance, { kind }]) =>
    kind === "admitted" ? [instance] : [],
  );
  const [first] = admissions.values();
  if (managed.length === 0 && first?.kind === "refused") return ignored(first.reason, first.why);
  await sideBySide(managed, together, (instance) => ports.outbox.send({ ...notice, instance }));
  return done({ kind: "passed-on", instances: managed });
}

/** The end of a Capacity Block for one instance. */
interface OneInBlock extends BlockRequest {
  readonly instance: InstanceId;
}

async function drainOne(found: AdmittedInstance, one: OneInBlock): Promise<EventPass> {
  const { notice, instance, ports } = one;
  if (isWarm(found.state)) return ignored(`instance ${instance} is ${found.state}`, "in warm pool");
  const standing = await standingOf(one);
  if (standing.kind === "not due") return undone(standing.end, found, one);
  const [running] = await ports.blocks.instancesIn(notice.reservation, instance);
  if (running !== undefined) return drained(found, standing.block, one);
  const why = `instance ${instance} does not run in Capacity Block ${notice.reservation}`;
  return undone(ignored(why, "untrue"), found, one);
}

// The notices of the other instances come at the same moment; until then their nodes are marked too.
const headStart = seconds(30);

function drained(
  { drain: settings }: AdmittedInstance,
  block: CapacityBlock,
  { notice, instance, receives, firstReceived, policy, ports }: OneInBlock,
): Promise<EventPass> {
  const bounds = blockBounds(block, settings, { firstReceived, now: ports.clock.now() });
  const start = { kind: "known", bounds } as const;
  return drainFrom(
    { notice: { ...notice, instance }, receives },
    { reason: "block-expiring", start, settings, headStart, policy },
    ports,
  );
}

/**
 * Takes back the mark of an earlier pass: the block has been extended, or the instance has left it. The mark of the block that
 * the instance runs in stays, whatever block this notice names.
 */
async function undone(
  end: EventPass,
  { drain }: AdmittedInstance,
  { instance, receives, ports }: OneInBlock,
): Promise<EventPass> {
  if (receives === 1 || drain.mode === "dry-run") return end;
  const around = await ports.blocks.around(instance);
  if (around !== "unknown" && restBeforeDrain(around, ports.clock.now()) === 0) return end;
  const mark = { taints: drain.taints, of: "block-expiring", receives } as const;
  const answer = await undoMark(instance, mark, ports);
  return answer === "settled" ? end : answer;
}
