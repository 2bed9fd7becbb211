import { type Fleet, isLeaving } from "../../lambda/group/fleet.ts";
import { isManaged } from "../../lambda/notice/managed-group.ts";
import { readBookmark } from "../../lambda/upgrade/read-bookmark.ts";
import { CommandFailure } from "../command-failure.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { hooksAt } from "../connect/groups-at.ts";
import { measureOf } from "./course.ts";
import { findProbe, namespace } from "./probe.ts";
import { type TraceSite, traceIn, traceTag } from "./traces.ts";

interface Deployed {
  readonly parts: DeploymentParts;
  readonly aws: AwsAccess;
}

type Refusal = readonly [is: boolean, why: string, remedy: string];

/** Refuses what would show nothing, or stand in somebody's way. */
export async function assertFit(
  fleet: Fleet,
  { client }: TraceSite,
  { parts, aws }: Deployed,
): Promise<void> {
  const probe = await findProbe(client);
  const { ours } = await hooksAt(fleet.name, parts, aws);
  const all = [...ofOthers(fleet, probe), ...ofDeployment(fleet, parts, ours.length)];
  const [, why, remedy] = all.find(([is]) => is) ?? [];
  if (why === undefined) return;
  throw new CommandFailure(`${why}; nothing was changed`, remedy ?? "");
}

const undo = "remove what is left with --clean-up, or wait for the other trial";

function ofOthers(fleet: Fleet, probe: Awaited<ReturnType<typeof findProbe>>): readonly Refusal[] {
  const { name, tags, sizes, suspended, instances } = fleet;
  const moves = measureOf(fleet).inService !== sizes.desired || instances.some(isLeaving);
  const stopped = suspended.filter((process) => ["Launch", "Terminate"].includes(process));
  const its = `namespace ${namespace}`;
  return [
    [traceIn(tags) !== "none", `group ${name} has the tag ${traceTag} of another trial`, undo],
    [probe === "ours", `${its} of another trial is there`, undo],
    [probe === "foreign", `${its} is there, and no trial's`, "look whose it is, and delete it"],
    [
      readBookmark(tags).kind !== "none",
      `an upgrade of group ${name} is under way`,
      "wait for its end",
    ],
    [moves, `group ${name} is changing its size`, "wait until all its instances are in service"],
    [
      stopped.length > 0,
      `group ${name} has suspended ${stopped.join(" and ")}`,
      "resume its processes",
    ],
  ];
}

function ofDeployment(
  { name, tags }: Fleet,
  { config }: DeploymentParts,
  hooks: number,
): readonly Refusal[] {
  const none = [
    hooks === 0,
    `group ${name} has no hook of this deployment`,
    "deploy with the group in the cluster's file; doctor tells more",
  ] as const;
  if (config.kind === "unknown") return [none];
  const { managed, settingsFor } = config.value.drain;
  const { mode } = settingsFor(tags).settings;
  return [
    [
      !isManaged(managed, name, tags),
      `the deployment does not manage group ${name}`,
      "name one of its groups",
    ],
    none,
    [
      mode !== "evict",
      `group ${name} is in mode ${mode}, so that no pod would leave`,
      "take the mode out of the cluster's file, and deploy",
    ],
  ];
}
