import { passSeconds } from "../base/contract.ts";
import type { GroupSelector } from "../base/ids.ts";
import { seconds } from "../base/time.ts";
import type { DrainPolicy, DrainSettings } from "../drain/drain-policy.ts";
import type { Taint } from "../drain/node.ts";
import type { InterruptionPolicy } from "../interruption/interruption-policy.ts";
import type { LeftNodeSettings } from "../interruption/left-node.ts";
import type { LaunchPolicy } from "../launch/launch-policy.ts";
import { readSettings } from "./form-reader.ts";
import { settingsByGroup } from "./group-settings.ts";
import type { Setting } from "./setting.ts";
import { drainSettings, eventSettings, launchSettings } from "./settings.ts";
import type { Expected } from "./text-reader.ts";
import { UnfitVariable, type Variables } from "./variables.ts";

const pass = seconds(passSeconds);

/** Reads how nodes of these groups are drained. */
export const drainPolicyIn = (
  variables: Variables,
  managed: readonly GroupSelector[],
): DrainPolicy => ({
  managed,
  pass,
  settingsFor: settingsByGroup({
    settings: drainSettings,
    variables,
    read: drainSettingsIn,
    tryRefusal: refusalIn(variables, drainSettings.force, "delete pods"),
  }),
});

/** Reads how instances of these groups are launched. */
export const launchPolicyIn = (
  variables: Variables,
  managed: readonly GroupSelector[],
): LaunchPolicy => ({
  managed,
  pass,
  settingsFor: settingsByGroup({
    settings: launchSettings,
    variables,
    read: (environment) => readSettings(launchSettings, environment),
    tryRefusal: () => undefined,
  }),
});

/** Reads what is done about instances of these groups that end without a hook. */
export function interruptionPolicyIn(
  variables: Variables,
  { managed, settingsFor: drainFor }: DrainPolicy,
): InterruptionPolicy {
  assertRemoving(readSettings(eventSettings, variables));
  const eventsFor = settingsByGroup({
    settings: eventSettings,
    variables,
    read: (environment) => readSettings(eventSettings, environment),
    tryRefusal: refusalIn(variables, eventSettings.removeNode, "remove nodes"),
  });
  return {
    managed,
    pass,
    settingsFor(tags) {
      const [events, drain] = [eventsFor(tags), drainFor(tags)];
      const refused = [...events.refused, ...drain.refused];
      return { settings: events.settings, drain: drain.settings, refused };
    },
  };
}

function drainSettingsIn(variables: Variables): DrainSettings {
  const values = readSettings(drainSettings, variables);
  const { protectedBy: protections, taint: taints, ...others } = values;
  assertKeeping(others);
  if (others.daemonSets === "leave" || keepsAway(taints)) return { ...others, protections, taints };
  const { daemonSets, taint } = drainSettings;
  // Without the taint, a DaemonSet puts its pod back onto the cordoned node at once.
  const expected: Expected = (nameOf) =>
    `"leave", or "evict" with a ${nameOf(taint.key)} of effect NoSchedule`;
  throw new UnfitVariable(daemonSets.key, others.daemonSets, expected);
}

/** A drain that may force pods is done at its deadline, so there is nothing to keep an instance for. */
function assertKeeping({
  atDeadline: got,
  force: may,
}: Pick<DrainSettings, "atDeadline" | "force">) {
  if (got === "CONTINUE" || may === "never") return;
  const { atDeadline, force } = drainSettings;
  const expected: Expected = (nameOf) =>
    `"CONTINUE", or "ABANDON" with ${nameOf(force.key)} "never", for a drain that may force pods keeps no instance`;
  throw new UnfitVariable(atDeadline.key, got, expected);
}

/** A tainted node has to be watched until it is back or removed: on one that nobody removes the taint would stay. */
function assertRemoving({
  removeNode: may,
  outOfService: got,
}: Pick<LeftNodeSettings, "outOfService" | "removeNode">) {
  if (got === "never" || may !== "never") return;
  const { outOfService, removeNode } = eventSettings;
  const expected: Expected = (nameOf) =>
    `"never", or "taint" with ${nameOf(removeNode.key)} "stopped" or "terminated", for no node is tainted that is not removed`;
  throw new UnfitVariable(outOfService.key, got, expected);
}

const keepsAway = (taints: readonly Taint[]): boolean =>
  taints.some(({ effect }) => effect === "NoSchedule");

/** A deployment whose setting is `never` gives the function no right to what it is about, so there no tag may ask for it. */
const refusalIn =
  (variables: Variables, setting: Setting, right: string) => (key: string, text: string) =>
    key === setting.key && variables[key] === "never" && text !== "never"
      ? `"never", for ${key}=never gives no right to ${right}`
      : undefined;
