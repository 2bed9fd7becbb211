import type { GroupName, GroupSelector, InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { isManaged, needsTags } from "../group/managed-group.ts";
import type { Membership } from "../group/membership.ts";
import { type EventAdmission, eventAdmission } from "./event-admission.ts";
import type { AsksAdmission, InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";

/** Admits or refuses an instance that no hook holds; asks neither EC2 nor the cluster about a refused one. */
export const admitted = (
  instance: InstanceId,
  policy: Pick<InterruptionPolicy, "managed">,
  ports: InterruptionPorts,
): Promise<EventAdmission> => ports.admissions.of(instance, asking(policy, ports));

/** Decides for each instance of one notice whether it may be touched, with one question for all. */
export async function allAdmitted(
  instances: readonly InstanceId[],
  policy: Pick<InterruptionPolicy, "managed">,
  ports: InterruptionPorts,
): Promise<ReadonlyMap<InstanceId, EventAdmission>> {
  const [only] = instances;
  if (only !== undefined) ports.admissions.forget(only);
  return only === undefined || instances.length > 1
    ? ports.admissions.ofAll(instances, asking(policy, ports))
    : new Map([[only, await admitted(only, policy, ports)]]);
}

const asking =
  (
    { managed }: Pick<InterruptionPolicy, "managed">,
    { groups }: Pick<InterruptionPorts, "groups">,
  ): AsksAdmission =>
  async (instances) =>
    admissionsOf(instances, await groups.memberships(instances), managed, groups);

/** Decides for each instance, by the group that it was found in and this group's tags, whether it may be touched. */
export async function admissionsOf(
  instances: readonly InstanceId[],
  found: ReadonlyMap<InstanceId, Membership>,
  managed: readonly GroupSelector[],
  groups: InterruptionPorts["groups"],
): Promise<ReadonlyMap<InstanceId, EventAdmission>> {
  const tags = await tagsOf([...found.values()], managed, groups);
  return new Map(
    instances.map((instance) => {
      const membership = found.get(instance) ?? { kind: "none" };
      const its = membership.kind === "none" ? {} : (tags.get(membership.group) ?? {});
      return [instance, eventAdmission({ instance, membership, managed, tags: its })];
    }),
  );
}

/** The tags of these instances' groups: of those that are managed, and of those that a tag may make so. */
async function tagsOf(
  memberships: readonly Membership[],
  managed: readonly GroupSelector[],
  groups: InterruptionPorts["groups"],
): Promise<ReadonlyMap<GroupName, Labels>> {
  const names = new Set(memberships.flatMap((one) => (one.kind === "none" ? [] : [one.group])));
  const wanted = [...names].filter(
    (name) => isManaged(managed, name, {}) || needsTags(managed, name),
  );
  return groups.tagsOf(wanted);
}
