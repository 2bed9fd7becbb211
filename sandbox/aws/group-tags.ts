import type { Tag } from "@aws-sdk/client-auto-scaling";
import { validationError } from "./aws-error.ts";
import type { Group, GroupTag } from "./group.ts";
import type { GroupRegister } from "./group-register.ts";

const mostTags = 50;
const longestValue = 256;

/** Gives groups tags, as CreateOrUpdateTags does; instances that are there do not get them. */
export function putTags(register: GroupRegister, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const group = groupOf(register, tag);
    register.put({ ...group, tags: changedTags(group, checked(tag)) });
  }
}

/** Takes tags of groups away, as DeleteTags does; tags that are not there do not matter. */
export function deleteTags(register: GroupRegister, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const group = groupOf(register, tag);
    register.put({ ...group, tags: group.tags.filter(({ key }) => key !== tag.Key) });
  }
}

function groupOf(register: GroupRegister, { ResourceId: name, ResourceType: type }: Tag): Group {
  const group = register.tryFindGroup(name ?? "");
  if (group !== undefined && type === "auto-scaling-group") return group;
  throw validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
}

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html */
function checked({
  Key: key = "",
  Value: value = "",
  PropagateAtLaunch: propagated,
}: Tag): GroupTag {
  if (key.startsWith("aws:")) throw validationError('Tag keys can\'t start with "aws:"');
  if (key === "" || key.length > 128) throw validationError(`Invalid tag key ${key}`);
  if (value.length > longestValue || !/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(value))
    throw validationError(`Invalid value ${value} of tag ${key}`);
  return { key, value, propagated: propagated === true };
}

function changedTags({ tags }: Group, tag: GroupTag): readonly GroupTag[] {
  const others = tags.filter(({ key }) => key !== tag.key);
  if (others.length >= mostTags)
    throw validationError(`Limit of ${mostTags} tags per resource reached`);
  return [...others, tag];
}
