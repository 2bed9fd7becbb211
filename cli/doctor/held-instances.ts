import type { Dated } from "../../journal/entry.ts";
import { counted, someOf } from "../../lambda/base/counted.ts";
import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import { lastingRefusals } from "../../lambda/drain/eviction.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { everyOf, mapped, readFrom } from "../connect/found.ts";
import { lastEntries } from "../status/last-entries.ts";
import { type HookedInstance, heldInstances, isOnlyOthers } from "../status/node-reports.ts";
import { countsOf, queueCounts } from "../status/queue-counts.ts";
import { completing } from "../status/status-lines.ts";
import type { HeldInstanceStatus } from "../status/status-schema.ts";
import { noticeOf, type Refusal, underWay } from "../status/under-way.ts";
import { managing } from "./hooks.ts";
import type { Check } from "./site.ts";
import { type Problem, problemIf } from "./verdict.ts";

/** A held instance, and where its notice is. */
interface HeldNotice extends Pick<HeldInstanceStatus, "ignoredFor" | "notice"> {
  readonly instance: InstanceId;
}

/** The problem if no notice of a held instance has reached the function. */
const lostNotice = ({ instance, notice }: HeldNotice, cluster: string): readonly Problem[] =>
  problemIf(
    notice === "lost",
    `instance ${instance} is held, and no notice of it has reached the function, and none is in the queue`,
    `repair first what is broken above; if none comes in a minute, \`resend ${instance} --cluster ${cluster}\` sends the notice again`,
  );

/** The problem if the function does nothing about the notice of a held instance. */
const ignoredNotice = (
  { instance, notice, ignoredFor }: HeldNotice,
  cluster: string,
): readonly Problem[] =>
  problemIf(
    notice === "ignored",
    `instance ${instance} is held, and the function has ignored its notice: ${ignoredFor}`,
    `once that is repaired, \`resend ${instance} --cluster ${cluster}\` sends the notice again`,
  );

/** A problem for each hook of this deployment that holds an instance of a group that it does not manage. */
const unmanagedProblems = (
  { instance, hooks, group: { name: group } }: HookedInstance,
  { config }: Pick<DeploymentParts, "config">,
  cluster: string,
): readonly Problem[] =>
  hooks.map((hook) => ({
    found: `hook ${hook} holds instance ${instance} of group ${group}, which this deployment does not manage, so the function leaves it until the hook times out`,
    remedy: `if the group should be managed: ${
      config.kind === "known"
        ? managing(group, { cluster, managed: config.value.drain.managed })
        : "give it the deployment's tag"
    }, then resend ${instance} --cluster ${cluster}; if not: ${completing({ instance, group }, hook)}`,
  }));

/** A pod whose evictions were refused in several passes over its instance. */
interface RefusedPod {
  readonly instance: InstanceId;
  readonly passes: number;
  readonly last: Refusal;
}

/**
 * The pods whose evictions were refused in two passes or more of a drain under way, at least once in its last two. The
 * present pass may not have asked for them yet.
 */
export function refusedAgain(entries: readonly Dated[]): readonly RefusedPod[] {
  const done = new Set(entries.flatMap((one) => (one.kind === "notice-done" ? [one.token] : [])));
  const own = entries.filter(({ token }) => !done.has(token));
  const byInstance = Map.groupBy(own, (entry) => entry.instance);
  return [...byInstance].flatMap(([instance, its]) =>
    instance === undefined ? [] : refusedOf(instance, its),
  );
}

function refusedOf(instance: InstanceId, entries: readonly Dated[]): readonly RefusedPod[] {
  const passes = passesOf(entries);
  const refusals = passes.map((pass) =>
    pass.flatMap((one) =>
      one.kind === "pod-refused" && lastingRefusals.includes(one.why) ? [one] : [],
    ),
  );
  const recent = new Map(refusals.slice(-2).flatMap((pass) => pass.map((one) => [one.pod, one])));
  return [...recent.values()].flatMap((last) => {
    const count = refusals.filter((pass) => pass.some(({ pod }) => pod === last.pod)).length;
    return count < 2 ? [] : [{ instance, passes: count, last }];
  });
}

/** The entries of each pass. */
function passesOf(entries: readonly Dated[]): readonly (readonly Dated[])[] {
  const begins = entries.flatMap(({ kind }, index) => (kind === "pass-started" ? [index] : []));
  return begins.map((from, index) => entries.slice(from, begins[index + 1]));
}

const refusalNote = (instance: InstanceId, pods: readonly RefusedPod[]): readonly Problem[] =>
  pods.slice(0, 1).map(({ passes, last }) => ({
    found: `the evictions of ${counted(pods.length, "pod")} of instance ${instance} (${someOf(pods.map(({ last: { pod } }) => pod))}) were refused in ${passes} passes so far: ${last.message}`,
    remedy: `look at who refuses: \`kubectl get validatingwebhookconfigurations\`; an operator that moves its pods itself, such as Strimzi's Drain Cleaner, needs nothing; \`status\` says when such a pod is deleted (docs/runbook.md#a-drain-takes-long)`,
  }));

/** Notes about an instance that other hooks still hold although the function is done with it. */
const othersNotes = ({ instance, group, otherHooks }: HookedInstance): readonly Problem[] =>
  otherHooks.map((hook) => ({
    found: `the function is done with instance ${instance}, and hook ${hook} of others may hold it still`,
    remedy: `ask who completes it; in their place: ${completing({ instance, group: group.name }, hook)}`,
  }));

const whereabouts: Readonly<Record<HeldInstanceStatus["notice"], string>> = {
  received: "which the function has begun with",
  queued: "whose notice may be in the queue",
  dead: "whose notice may be among the dead letters",
  lost: "whose notice is lost",
  ignored: "whose notice the function has ignored",
  done: "which the function is done with",
  unknown: "whose notice may be anywhere, for the log or the queue is not read",
};

function wellWords(notices: readonly HeldNotice[]): string {
  const kinds = Map.groupBy(notices, ({ notice }) => notice);
  return (
    [...kinds].map(([kind, { length }]) => `${length}, ${whereabouts[kind]}`).join("; ") || "none"
  );
}

const rights = "autoscaling:DescribeAutoScalingGroups and autoscaling:DescribeLifecycleHooks";

/** Checks that the function knows of each held instance, and that the evictions of its pods are not refused again and again. */
export const heldInstancesCheck: Check<"aws" | "name" | "now" | "parts"> = async (site) => {
  const { parts, aws, name, now } = site;
  const [holds, logged, queue, dead] = await Promise.all([
    readFrom("describing the groups", rights, () => heldInstances(parts, { name, aws })),
    lastEntries(parts.output("LogGroupName"), aws, now),
    queueCounts(parts.queueUrl, aws),
    queueCounts(parts.deadLettersUrl, aws),
  ]);
  return mapped(everyOf([holds, logged]), ([{ held }, { entries, isWhole }]) => {
    const letGo = held.filter((one) => isWhole && isOnlyOthers(one, entries));
    const unmanaged = held.filter((one) => !one.isManaged && !letGo.includes(one));
    const ours = held.filter(
      (one) => one.isManaged && one.hooks.length > 0 && !letGo.includes(one),
    );
    const counts = countsOf(queue, dead);
    const notices = ours.map(({ instance: id, hooks }): HeldNotice => {
      const instance = instanceId(id);
      const its = underWay(instance, hooks, { entries, now });
      const { ignoredFor } = its;
      const passes = isWhole ? its.passes : null;
      return { instance, ignoredFor, notice: noticeOf({ passes, ignoredFor }, counts) };
    });
    const refused = Map.groupBy(refusedAgain(entries), ({ instance }) => instance);
    return {
      well: wellWords(notices),
      problems: [
        ...notices.flatMap((one) => lostNotice(one, name)),
        ...notices.flatMap((one) => ignoredNotice(one, name)),
        ...unmanaged.flatMap((one) => unmanagedProblems(one, parts, name)),
      ],
      notes: [
        ...[...refused].flatMap(([instance, pods]) => refusalNote(instance, pods)),
        ...letGo.flatMap(othersNotes),
      ],
    };
  });
};
