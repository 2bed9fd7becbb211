import { faultOf } from "../../lambda/base/fault.ts";
import type { GroupName, InstanceId } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import { type Duration, later, minutes, seconds, shortest } from "../../lambda/base/time.ts";
import {
  type GroupInstance,
  isActive,
  type ScalingGroup,
  type Sizes,
} from "../../lambda/group/scaling-group.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { ScalingGroups } from "../../lambda/registrations/aws.port.ts";
import { pause } from "../pause.ts";
import type { Interruptions } from "./interruptions.ts";
import { findProbe, namespace, removeProbe, traceTag } from "./probe.ts";

/** What a trial has changed in a group: its earlier sizes, and the additional instance. */
export interface Trace {
  readonly sizes: Pick<Sizes, "desired" | "max">;
  /** The id, `unknown`, or `ended` once it is no longer additional. */
  readonly instance: string;
}

/** The tag's value for a trace, in characters that are allowed there. */
export const traceText = ({ sizes: { desired, max }, instance }: Trace): string =>
  `desired=${desired} max=${max} instance=${instance}`;

/** Reads the trace of a group. */
export function traceIn(tags: Labels): Trace | "none" | "unreadable" {
  const text = tags[traceTag];
  if (text === undefined) return "none";
  const [, desired, max, instance] =
    /^desired=(\d+) max=(\d+) instance=(i-[\da-f]+|ended|unknown)$/.exec(text) ?? [];
  if (instance === undefined) return "unreadable";
  return { sizes: { desired: Number(desired), max: Number(max) }, instance };
}

/** Where a trial leaves traces. */
export interface TraceSite {
  readonly client: KubeClient;
  readonly groups: ScalingGroups;
  /** What interrupts the instance; `none` if its group ends it. */
  readonly interruptions: Interruptions | "none";
  readonly group: GroupName;
  /** The instances from before the trial, which are never ended; `unknown` in a later clean-up. */
  readonly before: ReadonlySet<InstanceId> | "unknown";
  /** How long to wait for each: the launch, the probe, and the end of the instance. */
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
  `group ${group} has or awaits one instance too many, and nobody has noted which: once it is there, end the newest with \`aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity --instance-id …\`, or, if none comes, set the desired size to ${desired}, and remove the tag ${traceTag}`;

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
  const extra = group === "absent" ? "none" : extraIn(group, trace, site);
  if (typeof extra === "string") return extra;
  await site.groups.terminate(extra.id, "shrinks");
  return "none";
}

/** The additional instance of the group, if it is known. */
function extraIn(
  { sizes, instances }: ScalingGroup,
  { sizes: { desired }, instance }: Trace,
  { before }: TraceSite,
) {
  const active = instances.filter(isActive);
  const noted = active.find(({ id }) => id === instance);
  // Once it is ended, somebody else may have raised the size.
  const isNone = instance === "ended" || sizes.desired !== desired + 1;
  if (noted !== undefined || isNone) return noted ?? "none";
  // All instances were in service before the trial.
  const isNew = ({ id, state }: GroupInstance) =>
    before === "unknown" ? state.startsWith("Pending") : !before.has(id);
  return active.find(isNew) ?? (active.length > desired ? "unclear" : "awaited");
}

const aMoment = () => pause(seconds(1), new AbortController().signal);
