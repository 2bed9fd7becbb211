import { type Fleet, isLeaving } from "../../lambda/group/fleet.ts";
import { isManaged } from "../../lambda/notice/managed-group.ts";
import { readBookmark } from "../../lambda/upgrade/read-bookmark.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { namespace, traceTag } from "./probe.ts";
import { measureOf, traceIn } from "./traces.ts";

/** What is known before a trial. */
export interface Ground {
  readonly fleet: Fleet;
  /** Whose the namespace of the probe is. */
  readonly probe: "absent" | "foreign" | "ours";
  /** How many hooks of the group are this deployment's. */
  readonly hooks: number;
  readonly config: DeploymentParts["config"];
  /** How many of the group's instances are Spot Instances; `not asked` where none is to be interrupted. */
  readonly spot: number | "not asked";
}

/** Why a trial would show nothing, or stand in somebody's way, and what to do about it. */
export type Refusal = readonly [why: string, remedy: string];

type Case = readonly [is: boolean, ...Refusal];

/** The first reason against a trial. */
export const tryRefusal = (ground: Ground): Refusal | undefined =>
  [...ofOthers(ground), ...ofDeployment(ground)].flatMap(([is, ...refusal]) =>
    is ? [refusal] : [],
  )[0];

function ofOthers({ fleet, probe }: Ground): readonly Case[] {
  const { name, tags, sizes, suspended, instances } = fleet;
  const moves = measureOf(fleet).inService !== sizes.desired || instances.some(isLeaving);
  const stopped = suspended.filter((process) => ["Launch", "Terminate"].includes(process));
  const undo = "remove what is left with --clean-up, or wait for the other trial";
  const its = `namespace ${namespace}`;
  const upgrades = readBookmark(tags).kind !== "none";
  return [
    [traceIn(tags) !== "none", `group ${name} has the tag ${traceTag} of another trial`, undo],
    [probe === "ours", `${its} of another trial is there`, undo],
    [probe === "foreign", `${its} is there, and no trial's`, "look whose it is, and delete it"],
    [upgrades, `an upgrade of group ${name} is under way`, "wait for its end"],
    [moves, `group ${name} is changing its size`, "wait until all its instances are in service"],
    [
      stopped.length > 0,
      `group ${name} has suspended ${stopped.join(" and ")}`,
      "resume its processes",
    ],
  ];
}

function ofDeployment({ fleet, hooks, config, spot }: Ground): readonly Case[] {
  const { name, tags, instances } = fleet;
  const drain = config.kind === "known" ? config.value.drain : undefined;
  const isOurs = drain === undefined || isManaged(drain.managed, name, tags);
  const mode = drain?.settingsFor(tags).settings.mode ?? "evict";
  return [
    [!isOurs, `the deployment does not manage group ${name}`, "name one of its groups"],
    [
      hooks === 0,
      `group ${name} has no hook of this deployment`,
      "deploy with the group in the cluster's file; doctor tells more",
    ],
    [
      mode !== "evict",
      `group ${name} is in mode ${mode}, so that no pod would leave`,
      "take the mode out of the cluster's file, and deploy",
    ],
    [
      spot === 0 && instances.length > 0,
      `group ${name} has no Spot Instance, and FIS interrupts no other`,
      "name a group that launches Spot Instances, or leave out --spot",
    ],
  ];
}
