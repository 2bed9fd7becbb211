import type { LifecycleHook } from "@aws-sdk/client-auto-scaling";
import { hookNames } from "../../lambda/base/contract.ts";
import { type Duration, seconds, spoken, wholeSeconds } from "../../lambda/base/time.ts";
import type { Config } from "../../lambda/config/config.ts";
import { hookSettings } from "../../lambda/config/settings.ts";
import { longestHold } from "../../lambda/drain/drain-deadline.ts";
import { operatorText, type ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { everyOf, mapped, readFrom, unknown } from "../connect/found.ts";
import { type HooksByOwner, hooksAt } from "../connect/groups-at.ts";
import { shellWord } from "../shell-word.ts";
import { tagging } from "../tagging.ts";
import { readOn } from "./reading.ts";
import { type Check, type ExaminedSite, holdsLaunches } from "./site.ts";
import { type Problem, problemIf } from "./verdict.ts";

const terminating = "autoscaling:EC2_INSTANCE_TERMINATING";
const launching = "autoscaling:EC2_INSTANCE_LAUNCHING";

/** A group with its hooks, and the topic, role, names and times that its hooks must have. */
interface HookedGroup extends HooksByOwner {
  readonly group: string;
  readonly topic: string;
  readonly role: string;
  /** The names of a transition's hooks in this deployment. */
  readonly nameOf: (transition: string) => string;
  /** The time that the work may take; `launch` is zero if launches are not held. */
  readonly work: { readonly drain: Duration; readonly launch: Duration };
}

const hookProblems = (its: HookedGroup): readonly Problem[] => [
  ...transitionProblems(its, terminating, its.work.drain),
  ...(its.work.launch === 0 ? [] : transitionProblems(its, launching, its.work.launch)),
  ...its.others
    .filter((hook) => hook.LifecycleTransition === terminating && hook.DefaultResult === "ABANDON")
    .map(({ LifecycleHookName: name = "" }) => ({
      found: `hook ${name} of group ${its.group} notifies others, and ends the instance by ABANDON while this deployment still holds it`,
      remedy: `give it the default result CONTINUE: ${put(its.group, name)} --default-result CONTINUE`,
    })),
];

function transitionProblems(
  its: HookedGroup,
  transition: string,
  work: Duration,
): readonly Problem[] {
  const { group, ours, others } = its;
  const mine = ours.filter(({ LifecycleTransition: when }) => when === transition);
  const [, when = ""] = transition.split("EC2_INSTANCE_");
  const aside = others.map(
    ({ LifecycleHookName: name, NotificationTargetARN: to = "nobody" }) => `${name} notifies ${to}`,
  );
  if (mine.length === 0)
    return [
      {
        found: `group ${group} has no hook for ${when.toLowerCase()} instances that notifies ${its.topic}${aside.length === 0 ? "" : ` (${aside.join(", ")})`}`,
        remedy: making(its, transition),
      },
    ];
  return mine.flatMap((hook) => hookProblem(hook, its, work));
}

/** The command that gives a group the hook of a transition. */
const making = (
  { group, topic, role, nameOf }: Pick<HookedGroup, "group" | "nameOf" | "role" | "topic">,
  transition: string,
): string =>
  `${put(group, nameOf(transition))} --lifecycle-transition ${transition} --heartbeat-timeout ${hookSettings.heartbeat.default} --default-result CONTINUE --notification-target-arn ${topic} --role-arn ${role}`;

function hookProblem(
  { LifecycleHookName: name = "", ...hook }: LifecycleHook,
  { group, role }: HookedGroup,
  work: Duration,
): readonly Problem[] {
  const { HeartbeatTimeout: beat = 0, DefaultResult: result = "", RoleARN: its = "" } = hook;
  const holds = longestHold(seconds(beat));
  const change = put(group, name);
  return [
    ...problemIf(
      its !== role,
      `hook ${name} of group ${group} publishes as ${its || "nobody"}, not as ${role}`,
      `${change} --role-arn ${role}`,
    ),
    ...problemIf(
      holds < work,
      `hook ${name} of group ${group} waits ${beat} s for a heartbeat, so it holds an instance for ${spoken(holds)} at most, and the work may take ${spoken(work)}`,
      `${change} --heartbeat-timeout ${Math.max(hookSettings.heartbeat.form.least, Math.ceil((wholeSeconds(work) * beat) / wholeSeconds(holds)))}`,
    ),
    ...problemIf(
      result !== "CONTINUE",
      `hook ${name} of group ${group} has the default result ${result}, not CONTINUE`,
      `${change} --default-result CONTINUE`,
    ),
  ];
}

const put = (group: string, hook: string): string =>
  `aws autoscaling put-lifecycle-hook --auto-scaling-group-name ${shellWord(group)} --lifecycle-hook-name ${hook}`;

/** The groups that the deployment names but that do not exist. */
export const missingGroups = (
  managed: Config["drain"]["managed"],
  groups: readonly ScalingGroup[],
): readonly Problem[] =>
  managed
    .flatMap((one) => (typeof one === "string" ? [one] : []))
    .filter((name) => !groups.some((group) => group.name === name))
    .map((name) => ({
      found: `group ${name} of the deployment is not in this account and Region`,
      remedy: `take ${name} out of "groups" in the cluster's file, or correct it, and deploy again (docs/deploy.md)`,
    }));

/** The managed groups that belong to a service. Nobody else can give them hooks. */
const operatedGroups = (groups: readonly ScalingGroup[]): readonly Problem[] =>
  groups.map((group) => ({
    found: operatorText(group),
    remedy: `take ${group.name} out of "groups" in the cluster's file, or the deployment's tag from the group, as the service allows it, and deploy again (docs/deploy.md)`,
  }));

/** Checks that the hooks of each group notify the topic, have the right role, and last long enough. */
export const hooksCheck: Check<
  "aws" | "groups" | "name" | "otherGroups" | "parts" | "resources"
> = async (site) => {
  const { parts, groups, aws } = site;
  const { output, config: deployed } = parts;
  const known = everyOf([output("TopicArn"), output("HooksRoleArn"), groups, deployed]);
  return readOn(known, async ([topic, role, managed, config]) => {
    const missing = missingGroups(config.drain.managed, managed);
    if (managed.length === 0 && missing.length === 0)
      return unknown("no group has the tag of the deployment", "tag a group, or wait for one");
    const hooksOf = (all: readonly ScalingGroup[]) =>
      Promise.all(
        all.map(async (group) => ({ group, hooks: await hooksAt(group.name, parts, aws) })),
      );
    const others = site.otherGroups.kind === "known" ? site.otherGroups.value : [];
    const read = await readFrom("describing hooks", "autoscaling:DescribeLifecycleHooks", () =>
      Promise.all([hooksOf(managed), hooksOf(others)]),
    );
    return mapped(read, ([hooked, aside]) => {
      const left = aside.filter(({ hooks }) => hooks.ours.length > 0);
      const without = others.filter((one) => !left.some(({ group }) => group === one));
      const ends = { topic, role, nameOf: nameIn(hooked.map(({ hooks }) => hooks)) };
      const operated = managed.filter(({ operator }) => operator !== "");
      const own = hooked.filter(({ group }) => group.operator === "");
      const judged = own.map(({ group, hooks }) =>
        hookProblems({ ...hooks, ...ends, group: group.name, work: workOf(group, site) }),
      );
      return {
        well: `of ${managed.map(({ name }) => name).join(", ")}`,
        problems: [
          ...missing,
          ...operatedGroups(operated),
          ...judged.flat(),
          ...left.flatMap((one) => leftHooks(one, site.name, config)),
        ],
        notes: otherGroupNotes(without, site, { ...ends, config }),
      };
    });
  });
};

/** The names of a transition's hooks in other groups; the usual ones by default. */
const nameIn =
  (all: readonly HooksByOwner[]): HookedGroup["nameOf"] =>
  (transition) =>
    all.flatMap(({ ours }) => ours).find(({ LifecycleTransition: its }) => its === transition)
      ?.LifecycleHookName ?? (transition === terminating ? hookNames.terminate : hookNames.launch);

/** The command that adds a group to a deployment, or the step that replaces it. */
export function managing(
  group: string,
  { cluster, managed }: { readonly cluster: string; readonly managed: Config["drain"]["managed"] },
): string {
  const tag = managed.find((one) => typeof one !== "string");
  return tag === undefined
    ? `add ${JSON.stringify(group)} to "groups" in the cluster's file, and deploy: npx cdk deploy -c cluster=${cluster}`
    : tagging(group, tag);
}

/** The problem that a group still has this deployment's hooks, and is not managed: they hold each instance until they time out. */
const leftHooks = (
  { group: { name: group }, hooks }: { readonly group: ScalingGroup; readonly hooks: HooksByOwner },
  cluster: string,
  { drain: { managed } }: Config,
): readonly Problem[] =>
  hooks.ours.map(({ LifecycleHookName: hook = "" }) => ({
    found: `hook ${hook} of group ${group} notifies this deployment, which does not manage the group, so each instance waits until the hook times out`,
    remedy: `if the group should be managed: ${managing(group, { cluster, managed })}; if not: aws autoscaling delete-lifecycle-hook --auto-scaling-group-name ${shellWord(group)} --lifecycle-hook-name ${hook}`,
  }));

/** The groups of the cluster that nobody looks after, which may be meant so, each with the commands that change it. */
function otherGroupNotes(
  groups: readonly ScalingGroup[],
  site: Pick<ExaminedSite, "name" | "resources">,
  { config, ...ends }: Pick<HookedGroup, "nameOf" | "role" | "topic"> & { readonly config: Config },
): readonly Problem[] {
  const { managed } = config.drain;
  const tag = managed.find((one) => typeof one !== "string");
  const manage = (group: string) => managing(group, { cluster: site.name, managed });
  return groups.map(({ name: group }) => ({
    found: `group ${group} has the tag kubernetes.io/cluster/${site.name}, and nothing drains its nodes: this deployment does not manage it`,
    remedy:
      tag === undefined
        ? `if it should: ${manage(group)}`
        : `if it should: ${[
            manage(group),
            making({ ...ends, group }, terminating),
            ...(holdsLaunches(site) ? [making({ ...ends, group }, launching)] : []),
          ].join(", then ")}`,
  }));
}

function workOf(
  { tags }: ScalingGroup,
  site: Pick<ExaminedSite, "parts" | "resources">,
): HookedGroup["work"] {
  const { config } = site.parts;
  if (config.kind === "unknown") return { drain: seconds(0), launch: seconds(0) };
  const { drain, launch } = config.value;
  const launchTimeout = launch.settingsFor(tags).settings.timeout;
  return {
    drain: drain.settingsFor(tags).settings.timeout,
    launch: holdsLaunches(site) ? launchTimeout : seconds(0),
  };
}
