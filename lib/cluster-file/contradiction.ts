import { partitionOf } from "../partition-of.ts";

/** A value in a cluster's file that contradicts another value, or a rule of AWS. */
export interface Contradiction {
  readonly path: readonly (number | string)[];
  readonly expected: string;
  readonly got: unknown;
}

/** Whether an ARN is in a Region. */
export function isIn(region: string, arn: string): boolean {
  const [, partition, , place] = arn.split(":");
  return place === region && partition === partitionOf(region);
}
