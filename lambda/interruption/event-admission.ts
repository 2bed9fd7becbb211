import type { GroupName, GroupSelector, InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { isManaged, managedText } from "../group/managed-group.ts";
import type { Membership } from "../group/membership.ts";
import type { Ignorance } from "../notice/outcome.ts";

/** The judgement of a notice that no hook holds: only an instance of a managed group is admitted. */
export type EventAdmission =
  | {
      readonly kind: "admitted";
      readonly group: GroupName;
      readonly tags: Labels;
      /** The instance's lifecycle state in its group, such as `InService`. */
      readonly state: string;
    }
  | ({ readonly kind: "refused" } & Ignorance);

/** Decides whether an instance may be touched: events come from a whole account, also from instances of others. */
export function eventAdmission(request: {
  readonly instance: InstanceId;
  readonly membership: Membership;
  readonly managed: readonly GroupSelector[];
  /** The tags of the instance's group. */
  readonly tags: Labels;
}): EventAdmission {
  const { instance, membership, managed, tags } = request;
  if (membership.kind === "none")
    return refused(`instance ${instance} is in no Auto Scaling group`, "no group");
  const { group, state } = membership;
  return isManaged(managed, group, tags)
    ? { kind: "admitted", group, tags, state }
    : refused(
        `group ${group} is not managed here (managed: ${managedText(managed)})`,
        "not managed",
      );
}

const refused = (reason: string, why: Ignorance["why"]): EventAdmission => ({
  kind: "refused",
  why,
  reason,
});

/** Whether an instance is in the warm pool of its group: it serves nothing, and hooks hold it on its way in and out. */
export const isWarm = (state: string): boolean => state.startsWith("Warmed:");

/** Whether the instance survives: its group replaces its root volume and starts it again. */
export const isRenewed = (state: string): boolean =>
  state.startsWith("ReplacingRootVolume") || state === "RootVolumeReplaced";
