import { faultOf } from "../base/fault.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { later } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Ignorance } from "../notice/outcome.ts";
import { allAdmitted } from "./admitted.flow.ts";
import { type EventAdmission, isWarm } from "./event-admission.ts";
import type { Maintenance } from "./event-notice.ts";
import { settingsOf } from "./event-pass.flow.ts";
import type { EventPorts } from "./interruption.port.ts";
import type { EventSettings, InterruptionPolicy } from "./interruption-policy.ts";
import { isDrainedFor } from "./maintenance-state.ts";

/** A notice of planned work, and what a pass over it needs. */
export interface MaintenanceRequest {
  readonly notice: Maintenance;
  /** The receive count of the notice. */
  readonly receives: number;
  readonly policy: InterruptionPolicy;
  readonly ports: EventPorts;
}

/** An affected instance of a managed group. */
export interface Affected {
  readonly instance: InstanceId;
  readonly names: readonly NodeName[];
  readonly settings: EventSettings;
  readonly drain: DrainSettings;
}

/** The affected instances that this deployment may touch, and the reasons why it leaves the others alone. */
export interface AffectedInstances {
  readonly affected: readonly Affected[];
  readonly refused: readonly Ignorance[];
}

/** Asks which of the affected instances this deployment may touch. */
export async function affectedOf(request: MaintenanceRequest): Promise<AffectedInstances> {
  const { notice, policy, ports } = request;
  const admissions = await allAdmitted(notice.instances, policy, ports);
  const answers = Array.from(admissions, ([one, answer]) => judged(one, answer, request));
  const managed = answers.flatMap((answer) => ("instance" in answer ? [answer] : []));
  const refused = answers.flatMap((answer) => ("why" in answer ? [answer] : []));
  if (managed.length === 0) return { affected: [], refused };
  const names = await ports.instances.namesOf(managed.map(({ instance }) => instance));
  const affected = managed.map((one) => ({ ...one, names: names.get(one.instance) ?? [] }));
  return { affected, refused };
}

/** An instance, and how its group wants it treated; or why it is left alone. */
function judged(
  instance: InstanceId,
  answer: EventAdmission,
  { policy, ports }: MaintenanceRequest,
): Ignorance | Omit<Affected, "names"> {
  if (answer.kind === "refused") return answer;
  const { state } = answer;
  if (isDrainedFor(state)) return { instance, ...settingsOf(answer, policy, ports) };
  return {
    why: isWarm(state) ? "in warm pool" : "other",
    reason: `instance ${instance} is ${state}`,
  };
}

// A notice may affect hundreds of instances, and each of them costs three requests.
const together = 10;

/**
 * Does some work for each affected instance, for as long as the pass lasts, and returns what came of it.
 *
 * A failure keeps no other instance from its work. Its fault is thrown at the end, so that the notice comes back.
 */
export async function forEachAffected<T>(
  affected: readonly Affected[],
  work: (one: Affected) => Promise<T>,
  { policy, ports: { clock, journal } }: MaintenanceRequest,
): Promise<readonly T[] | "unfinished"> {
  const ends = later(clock.now(), policy.pass);
  const workInTime = async (one: Affected) =>
    clock.now() >= ends ? [] : Promise.allSettled([work(one)]);
  const results = (await sideBySide(affected, together, workInTime)).flat();
  const faults = results.flatMap((one) => (one.status === "rejected" ? [faultOf(one.reason)] : []));
  const [first, ...others] = faults;
  for (const other of others) journal.record(faultEntry(other));
  if (first !== undefined) throw first;
  return results.length < affected.length
    ? "unfinished"
    : results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}
