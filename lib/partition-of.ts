/** The partitions whose Regions have names with a prefix. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
const partitions: readonly (readonly [prefix: string, partition: string])[] = [
  ["cn-", "aws-cn"],
  ["us-gov-", "aws-us-gov"],
  ["us-iso-", "aws-iso"],
  ["us-isob-", "aws-iso-b"],
  ["eu-isoe-", "aws-iso-e"],
  ["us-isof-", "aws-iso-f"],
  ["eusc-", "aws-eusc"],
];

export const partitionOf = (region: string): string =>
  partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "aws";
