import { faultOf } from "../../lambda/base/fault.ts";
import type { GroupName, InstanceId } from "../../lambda/base/ids.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import { type Duration, later, minutes, seconds } from "../../lambda/base/time.ts";
import { type Fleet, isLeaving, type Sizes } from "../../lambda/group/fleet.ts";
import type { Fleets } from "../../lambda/group/fleets.port.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { pause } from "../pause.ts";
import { findProbe, namespace, removeProbe } from "./probe.ts";

/** The tag of a group by which a trial can be undone that was killed. It is gone when nothing is left of the trial. */
export const traceTag = "eks-node-lifecycle/verify";

/** What a trial has changed of a group: these were its sizes, and this is the instance that it got, if it is known and not yet ended. */
export interface Trace {
  readonly sizes: Pick<Sizes, "desired" | "max">;
  readonly instance: InstanceId | "ended" | "unknown";
}

/** Writes a trace in the characters that a tag may have. */
export const traceText = ({ sizes: { desired, max }, instance }: Trace): string =>
  `desired=${desired} max=${max} instance=${instance}`;

/** Notes on the group what a trial has changed of it. */
export const leaveTrace = (
  { fleets, group }: Pick<TraceSite, "fleets" | "group">,
  trace: Trace,
): Promise<void> => fleets.tag(group, { [traceTag]: traceText(trace) });

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

/** Where traces are removed. */
export interface TraceSite {
  readonly client: KubeClient;
  readonly fleets: Fleets;
  readonly group: GroupName;
}

const patience = minutes(2);

/** Removes all that a trial has left, and says of what it could not remove how somebody else does. */
export async function removeTraces(site: TraceSite): Promise<readonly string[]> {
  const { fleets, group } = site;
  const left = await Promise.all([
    tried(() => removeNamespace(site), `kubectl delete namespace ${namespace}`),
    tried(
      () => restoreGroup(site),
      `look at group ${group}: it may have one instance or a maximum size too many, and has the tag ${traceTag}`,
    ),
  ]);
  const all = left.flat();
  if (all.length > 0) return all;
  return tried(async () => {
    await fleets.untag(group, [traceTag]);
    return [];
  }, `remove the tag ${traceTag} of group ${group}`);
}

async function tried(
  work: () => Promise<readonly string[]>,
  otherwise: string,
): Promise<readonly string[]> {
  try {
    return await work();
  } catch (cause) {
    return [`${otherwise} (${faultOf(cause).message})`];
  }
}

async function removeNamespace({ client }: TraceSite): Promise<readonly string[]> {
  if ((await findProbe(client)) !== "ours") return [];
  await removeProbe(client);
  const isGone = async () => (await findProbe(client)) === "absent";
  return (await comesTrue(isGone, patience))
    ? []
    : [
        `namespace ${namespace} is still there, although it has been deleted: kubectl get namespace ${namespace} -o yaml says why`,
      ];
}

async function comesTrue(look: () => Promise<boolean>, within: Duration): Promise<boolean> {
  const until = later(systemClock.now(), within);
  for (;;) {
    if (await look()) return true;
    if (systemClock.now() >= until) return false;
    await pause(seconds(1), new AbortController().signal);
  }
}

/** Ends the instance that the trial has brought, and no other; a group that has not launched it yet shall not. */
async function restoreGroup(site: TraceSite): Promise<readonly string[]> {
  const { fleets, group } = site;
  const fleet = await fleets.fleet(group);
  const trace = fleet === "absent" ? "none" : traceIn(fleet.tags);
  if (fleet === "absent" || trace === "none") return [];
  if (trace === "unreadable") return [`the tag ${traceTag} of group ${group} cannot be read`];
  const left = await shrink(fleet, trace, site);
  const now = await fleets.fleet(group);
  const { max } = trace.sizes;
  if (now !== "absent" && now.sizes.max === max + 1 && now.sizes.desired <= max)
    await fleets.resize(group, { max });
  return left;
}

async function shrink(
  { sizes, instances }: Fleet,
  { sizes: { desired }, instance }: Trace,
  { fleets, group }: TraceSite,
): Promise<readonly string[]> {
  // From then on somebody else may have asked for an instance more.
  if (instance === "ended") return [];
  const staying = instances.filter((one) => !isLeaving(one));
  const coming = staying.filter(({ state }) => state.startsWith("Pending"));
  // Where a hook has refused ours, the group launches another one; until that is in service, nothing runs on it.
  const member =
    staying.find(({ id }) => id === instance) ??
    (sizes.desired === desired + 1 && coming.length === 1 ? coming[0] : undefined);
  if (member !== undefined) await fleets.terminate(member.id, "shrinks");
  else if (sizes.desired === desired + 1) {
    if (staying.length > desired) return [extra(group)];
    await fleets.resize(group, { desired });
  }
  return [];
}

const extra = (group: string): string =>
  `group ${group} has one instance too many, and nobody has noted which: end the newest with \`aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity --instance-id …\`, and remove the tag ${traceTag}`;
