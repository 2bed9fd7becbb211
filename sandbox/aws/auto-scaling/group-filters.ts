import type { Filter } from "@aws-sdk/client-auto-scaling";
import { validationError } from "./auto-scaling-errors.ts";
import type { GroupTag } from "./group.ts";

function matches(tags: readonly GroupTag[], name: string, values: readonly string[]): boolean {
  if (name === "tag-key") return tags.some(({ key }) => values.includes(key));
  if (name === "tag-value") return tags.some(({ value }) => values.includes(value));
  if (!name.startsWith("tag:")) throw validationError(`Filter type ${name} is not correct.`);
  const wanted = name.slice("tag:".length);
  return tags.some(({ key, value }) => key === wanted && values.includes(value));
}

/** Whether a group's tags pass every filter. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html */
export const passesTagFilters = (tags: readonly GroupTag[], filters: readonly Filter[]): boolean =>
  filters.every(({ Name = "", Values = [] }) => matches(tags, Name, Values));
