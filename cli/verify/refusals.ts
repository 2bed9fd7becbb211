import { isManaged } from "../../lambda/group/managed-group.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { CommandFailure } from "../command-failure.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { hooksAt } from "../connect/groups-at.ts";
import { evictingTag } from "../init/next-steps.ts";
import * as subjects from "../subjects.ts";
import { isMoving } from "./course.ts";
import { findProbe, namespace, traceTag } from "./probe.ts";
import { type TraceSite, traceIn } from "./traces.ts";

const own = await Promise.all(Object.values(subjects).map(({ inVerify }) => inVerify()));

/** A reason not to begin a trial: if it applies, its words, and the remedy. */
type TrialRefusal = readonly [is: boolean, why: string, remedy: string];

/** The group of a trial. Fails if there is a reason against it. */
export async function fitGroup(
  { client, groups, interruptions, group: name }: TraceSite,
  parts: DeploymentParts,
  aws: AwsAccess,
): Promise<ScalingGroup> {
  const group = await groups.withPool(name);
  if (group === "absent")
    throw new CommandFailure(
      `Auto Scaling has no group ${name} in this account and Region`,
      "name a group by its full name, or another Region (--region)",
    );
  if (interruptions !== "none") await interruptions.assertThere();
  const ids = group.instances.map(({ id }) => id);
  const spot = interruptions === "none" ? ids : await interruptions.spot(ids);
  const { ours } = await hooksAt(name, parts, aws);
  const found = [
    ...ofOthers(group, await findProbe(client)),
    ...ofDeployment(group, parts.config),
    [
      ours.length === 0,
      `group ${name} has no hook of this deployment`,
      "deploy with the group in the cluster's file; doctor tells more",
    ] as const,
    [
      spot.length === 0 && ids.length > 0,
      `group ${name} has no Spot Instance, and FIS interrupts no other`,
      "name a group that launches Spot Instances, or leave out --spot",
    ] as const,
  ].find(([is]) => is);
  if (found === undefined) return group;
  const [, why, remedy] = found;
  throw new CommandFailure(`${why}; nothing was changed`, remedy);
}

function ofOthers(
  group: ScalingGroup,
  probe: "absent" | "foreign" | "ours",
): readonly TrialRefusal[] {
  const { name, tags, suspended } = group;
  const stopped = suspended.filter((process) => ["Launch", "Terminate"].includes(process));
  const all = stopped.join(" and ");
  const undo = "remove what is left with --clean-up, or wait for the other trial";
  const wait = "wait for its end";
  const its = `namespace ${namespace}`;
  return [
    [traceIn(tags) !== "none", `group ${name} has the tag ${traceTag} of another trial`, undo],
    [probe === "ours", `${its} of another trial is there`, undo],
    [probe === "foreign", `${its} is there, and no trial's`, "look whose it is, and delete it"],
    ...own.flatMap(({ works }) =>
      works.map(
        ({ called, isOn }): TrialRefusal => [
          isOn(tags),
          `${called} of group ${name} is under way`,
          wait,
        ],
      ),
    ),
    [
      isMoving(group),
      `group ${name} is changing its size`,
      "wait until all its instances are in service",
    ],
    [stopped.length > 0, `group ${name} has suspended ${all}`, "resume its processes"],
  ];
}

function ofDeployment(
  { name, tags }: ScalingGroup,
  config: DeploymentParts["config"],
): readonly TrialRefusal[] {
  if (config.kind === "unknown") return [];
  const { managed, settingsFor } = config.value.drain;
  const { mode } = settingsFor(tags).settings;
  return [
    [
      !isManaged(managed, name, tags),
      `the deployment does not manage group ${name}`,
      "name one of its groups",
    ],
    [
      mode !== "evict",
      `group ${name} is in mode ${mode}, so that no pod would leave`,
      `let it evict: ${evictingTag(name)}`,
    ],
  ];
}
