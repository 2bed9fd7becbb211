import type { Clock } from "../../lambda/base/clock.port.ts";
import { faultOf } from "../../lambda/base/fault.ts";
import type { GroupName, InstanceId } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import {
  type Duration,
  type Instant,
  instant,
  later,
  minutes,
  never,
  seconds,
  shortest,
  timestamp,
  tryInstantOf,
} from "../../lambda/base/time.ts";
import type { ScalingGroups } from "../../lambda/group/group.port.ts";
import {
  type GroupInstance,
  isActive,
  type ScalingGroup,
  type Sizes,
} from "../../lambda/group/scaling-group.ts";
import type { Machines } from "../../lambda/group-work/machines.port.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { pause } from "../pause.ts";
import type { Interruptions } from "./interruptions.ts";
import { findProbe, namespace, removeProbe, traceTag } from "./probe.ts";

/** The changes of a trial in a group: its earlier sizes, the additional instance, and the start. */
export interface Trace {
  readonly sizes: Pick<Sizes, "desired" | "max">;
  /** The id, `unknown`, or `ended` once it is no longer additional. */
  readonly instance: string;
  readonly begun: Instant;
}

/** The tag's value for a trace, in characters that are allowed there. */
export const traceText = ({ sizes: { desired, max }, instance, begun }: Trace): string =>
  `desired=${desired} max=${max} instance=${instance} begun=${timestamp(begun)}`;

/** Reads the trace of a group. */
export function traceIn(tags: Labels): Trace | "none" | "unreadable" {
  const text = tags[traceTag];
  if (text === undefined) return "none";
  const [, desired, max, instance, time] =
    /^desired=(\d+) max=(\d+) instance=(i-[\da-f]+|ended|unknown)(?: begun=(\S+))?$/.exec(text) ??
    [];
  // Nothing was launched after the trial of a version that has written no time.
  const begun = time === undefined ? never : tryInstantOf(time);
  if (instance === undefined || begun === undefined) return "unreadable";
  return { sizes: { desired: Number(desired), max: Number(max) }, instance, begun };
}

/** Where a trial leaves traces. */
export interface TraceSite {
  readonly client: KubeClient;
  /** The servers' time, with which EC2's launch times compare. */
  readonly clock: Pick<Clock, "now">;
  readonly groups: ScalingGroups;
  readonly machines: Pick<Machines, "launches">;
  /** The source of the interruption; `none` if the group ends the instance. */
  readonly interruptions: Interruptions | "none";
  readonly group: GroupName;
  /** The instances from before the trial, which are never ended; `unknown` in a later clean-up. */
  readonly before: ReadonlySet<InstanceId> | "unknown";
  /** The time limit of each step: the launch, the probe, and the end of the instance. */
  readonly patience: Duration;
}

/** Removes everything that a trial has left. Returns how to remove the rest by hand. */
export async function removeTraces(site: TraceSite): Promise<readonly string[]> {
  const { groups, group, interruptions } = site;
  const tried = async (work: Promise<unknown>, otherwise: string): Promise<readonly string[]> =>
    work.then(
      (left) => (typeof left === "string" ? [left] : []),
      (cause: unknown) => [`${otherwise} (${faultOf(cause).message})`],
    );
  const forgotten = interruptions === "none" ? undefined : interruptions.forget(group);
  const left = await Promise.all([
    tried(removeNamespace(site), `kubectl delete namespace ${namespace}`),
    tried(
      restoreGroup(site),
      `look at group ${group}: it may have one instance or a maximum size too many, and the tag ${traceTag}`,
    ),
    tried(
      Promise.resolve(forgotten),
      `delete the experiment template of FIS that has the tag ${traceTag}`,
    ),
  ]);
  if (left.flat().length > 0) return left.flat();
  return tried(groups.untag(group, [traceTag]), `remove the tag ${traceTag} of group ${group}`);
}

async function removeNamespace({ client }: TraceSite): Promise<string | undefined> {
  if ((await findProbe(client)) !== "ours") return undefined;
  await removeProbe(client);
  const until = later(systemClock.now(), minutes(2));
  while ((await findProbe(client)) === "ours") {
    if (systemClock.now() >= until)
      return `namespace ${namespace} is still there, although it has been deleted: kubectl get namespace ${namespace} -o yaml says why`;
    await aMoment();
  }
  return undefined;
}

async function restoreGroup(site: TraceSite): Promise<string | undefined> {
  const { groups, group } = site;
  const found = await groups.withPool(group);
  const trace = found === "absent" ? "none" : traceIn(found.tags);
  if (trace === "none") return undefined;
  if (trace === "unreadable") return `the tag ${traceTag} of group ${group} cannot be read`;
  const left = (await shrink(site, trace)) === "none" ? undefined : leftIn(site, trace);
  const now = await groups.withPool(group);
  const { max } = trace.sizes;
  if (now !== "absent" && now.sizes.max === max + 1 && now.sizes.desired <= max)
    await groups.resize(group, { max });
  return left;
}

const leftIn = ({ group }: TraceSite, { sizes: { desired } }: Trace): string =>
  `group ${group} has or awaits one instance too many, and it is not certain which: once it is there, end the newest with \`aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity --instance-id …\`, or, if none comes, set the desired size to ${desired}, and remove the tag ${traceTag}`;

/**
 * Waits for the additional instance, to end it together with the size. If only the size went down, Auto Scaling would choose
 * the instance.
 */
async function shrink(site: TraceSite, trace: Trace): Promise<"none" | "unclear"> {
  const until = later(systemClock.now(), shortest(site.patience, minutes(5)));
  for (;;) {
    const extra = await endExtra(site, trace);
    if (extra !== "awaited") return extra;
    if (systemClock.now() >= until) return "unclear";
    await aMoment();
  }
}

/** Ends the additional instance of the trial or its replacement, and no other. */
async function endExtra(site: TraceSite, trace: Trace) {
  const group = await site.groups.withPool(site.group);
  const extra = group === "absent" ? "none" : await extraIn(group, trace, site);
  if (typeof extra === "string") return extra;
  await site.groups.terminate(extra.id, "shrinks");
  return "none";
}

/** The additional instance of the group, if it is certain. */
async function extraIn(group: ScalingGroup, trace: Trace, { before, machines }: TraceSite) {
  const { sizes, instances } = group;
  const { desired } = trace.sizes;
  const active = instances.filter(isActive);
  if (before === "unknown") {
    const ids = active.map(({ id }) => id);
    return laterExtraIn({ sizes, active, launches: await machines.launches(ids) }, trace);
  }
  const noted = active.find(({ id }) => id === trace.instance);
  // Once it is ended, somebody else may have raised the size.
  const isNone = trace.instance === "ended" || sizes.desired !== desired + 1;
  if (noted !== undefined || isNone) return noted ?? "none";
  return active.find(({ id }) => !before.has(id)) ?? missing(active, desired);
}

interface LaterGroup extends Pick<ScalingGroup, "sizes"> {
  readonly active: readonly GroupInstance[];
  readonly launches: Awaited<ReturnType<Machines["launches"]>>;
}

/**
 * The additional instance according to the tag alone, which others may write. It ends only as the newest of the group, and
 * if the trial can have brought it:
 * - the group wants one instance more than before the trial;
 * - EC2 has launched the instance since the trial began;
 * - the tag names it, or it is not in service yet.
 */
function laterExtraIn({ sizes, active, launches }: LaterGroup, { sizes: was, ...trace }: Trace) {
  const noted = active.find(({ id }) => id === trace.instance);
  const isSized = trace.instance !== "ended" && sizes.desired === was.desired + 1;
  if (!isSized) return noted !== undefined && sizes.desired > was.desired ? "unclear" : "none";
  const newest = newestOf(active, launches, trace.begun);
  if (newest === undefined) return missing(active, was.desired);
  return isTrials(newest, trace) ? newest : "unclear";
}

const isTrials = ({ id, state }: GroupInstance, { instance }: Pick<Trace, "instance">): boolean =>
  id === instance || (instance === "unknown" && state.startsWith("Pending"));

/** The instance that was launched last, if that was since then. */
function newestOf(
  instances: readonly GroupInstance[],
  launches: LaterGroup["launches"],
  since: Instant,
): GroupInstance | undefined {
  const launchOf = ({ id }: GroupInstance): Instant => launches.get(id)?.at ?? instant(0);
  const [newest] = instances.toSorted((a, b) => launchOf(b) - launchOf(a));
  return newest === undefined || launchOf(newest) < since ? undefined : newest;
}

const missing = (active: readonly GroupInstance[], desired: number) =>
  active.length > desired ? "unclear" : "awaited";

const aMoment = () => pause(seconds(1), new AbortController().signal);
