import { faultOf } from "../../lambda/base/fault.ts";
import { type GroupName, type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import { type Duration, later, minutes, seconds, shortest } from "../../lambda/base/time.ts";
import { type Fleet, isActive, type Sizes } from "../../lambda/group/fleet.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { Fleets } from "../../lambda/registrations/aws.port.ts";
import { pause } from "../pause.ts";
import type { Interruptions } from "./interruptions.ts";
import { findProbe, namespace, removeProbe, traceTag } from "./probe.ts";

/** What a trial has changed of a group. */
export interface Trace {
  /** The sizes of before. */
  readonly sizes: Pick<Sizes, "desired" | "max">;
  /** The instance that the group has too many, if it is known and not yet ended. */
  readonly instance: InstanceId | "ended" | "unknown";
}

/** Writes a trace in the characters that a tag may have. */
export const traceText = ({ sizes: { desired, max }, instance }: Trace): string =>
  `desired=${desired} max=${max} instance=${instance}`;

/** Reads the trace of a group. */
export function traceIn(tags: Labels): Trace | "none" | "unreadable" {
  const text = tags[traceTag];
  if (text === undefined) return "none";
  const [, desired, max, instance = ""] =
    /^desired=(\d+) max=(\d+) instance=(i-[\da-f]+|ended|unknown)$/.exec(text) ?? [];
  if (instance === "") return "unreadable";
  return {
    sizes: { desired: Number(desired), max: Number(max) },
    instance: instance === "ended" || instance === "unknown" ? instance : instanceId(instance),
  };
}

/** Where a trial leaves its traces. */
export interface TraceSite {
  readonly client: KubeClient;
  readonly fleets: Fleets;
  /** Who interrupts; `none` where the trial ends its instance by the group. */
  readonly interruptions: Interruptions | "none";
  readonly group: GroupName;
  /** The instances of before the trial, which nobody ends; `unknown` to whoever comes later. */
  readonly before: ReadonlySet<InstanceId> | "unknown";
  /** How long it waits for each: for the launch, for the probe, and for the end of the instance. */
  readonly patience: Duration;
}

/** Notes on the group what a trial has changed of it. */
export const leaveTrace = ({ fleets, group }: TraceSite, trace: Trace): Promise<void> =>
  fleets.tag(group, { [traceTag]: traceText(trace) });

/** Removes all that a trial has left, and says of what it could not remove how somebody else does. */
export async function removeTraces(site: TraceSite): Promise<readonly string[]> {
  const { fleets, group, interruptions } = site;
  const tried = async (work: () => Promise<string>, otherwise: string): Promise<string> =>
    work().catch((cause: unknown) => `${otherwise} (${faultOf(cause).message})`);
  const all = await Promise.all([
    tried(() => removeNamespace(site), `kubectl delete namespace ${namespace}`),
    tried(
      () => restoreGroup(site),
      `look at group ${group}: it may have one instance or a maximum size too many, and has the tag ${traceTag}`,
    ),
    tried(async () => {
      if (interruptions !== "none") await interruptions.forget(group);
      return "";
    }, `delete the experiment template of FIS that has the tag ${traceTag}`),
  ]);
  const left = all.filter((one) => one !== "");
  if (left.length > 0) return left;
  const untagged = async () => fleets.untag(group, [traceTag]).then(() => "");
  const last = await tried(untagged, `remove the tag ${traceTag} of group ${group}`);
  return last === "" ? [] : [last];
}

async function removeNamespace({ client }: TraceSite): Promise<string> {
  if ((await findProbe(client)) !== "ours") return "";
  await removeProbe(client);
  const until = later(systemClock.now(), minutes(2));
  while ((await findProbe(client)) === "ours") {
    if (systemClock.now() >= until)
      return `namespace ${namespace} is still there, although it has been deleted: kubectl get namespace ${namespace} -o yaml says why`;
    await pause(seconds(1), new AbortController().signal);
  }
  return "";
}

async function restoreGroup(site: TraceSite): Promise<string> {
  const { fleets, group } = site;
  const fleet = await fleets.fleet(group);
  const trace = fleet === "absent" ? "none" : traceIn(fleet.tags);
  if (trace === "none") return "";
  if (trace === "unreadable") return `the tag ${traceTag} of group ${group} cannot be read`;
  const left = await shrink(site, trace);
  const now = await fleets.fleet(group);
  const { max } = trace.sizes;
  if (now !== "absent" && now.sizes.max === max + 1 && now.sizes.desired <= max)
    await fleets.resize(group, { max });
  return left;
}

/**
 * Ends the instance that the trial has brought, or the one that the group has launched in its place, and no other.
 *
 * A smaller size would let Auto Scaling choose which of the group's instances ends. So it waits for one that the size can
 * go down with.
 */
export async function shrink(site: TraceSite, trace: Trace): Promise<string> {
  const { fleets, group, before, patience } = site;
  const until = later(systemClock.now(), shortest(patience, minutes(5)));
  const asked = new Set<InstanceId>();
  for (;;) {
    const isLate = systemClock.now() >= until;
    const step = shrinkStep(await fleets.fleet(group), trace, { before, asked, isLate });
    if (step === "none") return "";
    if (step === "unclear") return extra(group, trace);
    if (step === "wait") await pause(seconds(1), new AbortController().signal);
    else {
      // Only the next look tells whether the size went down with it.
      asked.add(step.id);
      await fleets.terminate(step.id, "shrinks");
    }
  }
}

interface Known extends Pick<TraceSite, "before"> {
  /** The instances that have been told to end. */
  readonly asked: ReadonlySet<InstanceId>;
  readonly isLate: boolean;
}

function shrinkStep(
  fleet: Fleet | "absent",
  { sizes: { desired }, instance }: Trace,
  { before, asked, isLate }: Known,
) {
  if (fleet === "absent") return "none";
  const { sizes, instances } = fleet;
  const isOneMore = sizes.desired === desired + 1;
  const active = instances.filter((one) => isActive(one) && !asked.has(one.id));
  const own = active.find(({ id }) => id === instance);
  // Once it is ended, somebody else may have asked for an instance more.
  if (instance === "ended" || !(own || isOneMore)) return "none";
  // All were in service before the trial.
  const isNew = ({ id, state }: Fleet["instances"][number]) =>
    before === "unknown" ? state.startsWith("Pending") : !before.has(id);
  const isUnclear = isLate || active.length > desired;
  return own ?? active.find(isNew) ?? (isUnclear ? "unclear" : "wait");
}

const extra = (group: GroupName, { sizes: { desired } }: Trace): string =>
  `group ${group} has or awaits one instance too many, and nobody has noted which: once it is there, end the newest with \`aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity --instance-id …\`, or, if none comes, set the desired size to ${desired}, and remove the tag ${traceTag}`;

/** How many instances of a group are in service, beside its sizes. */
export const measureOf = ({ sizes, instances }: Fleet) => ({
  ...sizes,
  inService: instances.filter(({ state }) => state === "InService").length,
});
