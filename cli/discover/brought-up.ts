import type { clusterFileOf } from "./cluster-file-of.ts";
import type { GivenFile } from "./given-file-schema.ts";

/** A cluster's file as the account says, and what to take care of. */
export interface Found {
  readonly file: ReturnType<typeof clusterFileOf>;
  readonly remarks: readonly string[];
}

/** A cluster's file after it was brought up to date. */
export interface BroughtUp {
  readonly file: GivenFile;
  readonly changes: readonly string[];
  readonly remarks: readonly string[];
}

const lists = ["groups", "nodeRoleArns", "launchTemplateIds"] as const;

/** Brings a cluster's file up to date: it gets what AWS knows of the cluster and of the groups in the file, and keeps all that somebody has written. */
export function broughtUp(given: GivenFile, { file: found, remarks }: Found): BroughtUp {
  const { subnetIds, ...facts } = found.cluster;
  // Its owner takes out subnets that lead nowhere.
  const cluster = { subnetIds, ...given.cluster };
  const now = Object.entries({ ...cluster, ...facts });
  const replaced = now.filter(([key, value]) => !same(given.cluster?.[key], value));
  const additions = lists.map((key) => [key, without(found[key], given[key])] as const);
  const longer = additions.filter(([, added]) => added.length > 0);
  return {
    file: {
      ...given,
      cluster: { ...given.cluster, ...Object.fromEntries(replaced) },
      ...Object.fromEntries(longer.map(([key, added]) => [key, [...(given[key] ?? []), ...added]])),
    },
    changes: [
      ...replaced.map(
        ([key, value]) =>
          `  cluster.${key}: ${told(given.cluster?.[key])} becomes ${JSON.stringify(value)}`,
      ),
      ...longer.map(([key, added]) => `  ${key}: also ${added.join(", ")}`),
    ],
    remarks: [
      ...remarks,
      ...lists
        .filter((key) => found[key] !== undefined)
        .flatMap((key) => without(given[key], found[key]).map((one) => superfluous(key, one))),
    ],
  };
}

const superfluous = (key: (typeof lists)[number], one: string): string =>
  key === "groups"
    ? `"groups" names ${one}: there is no such group, or EKS manages it`
    : `none of the file's groups has ${one} in "${key}": take it out, unless a group with the groupTag has it`;

const told = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const without = (all: readonly string[] = [], some: readonly string[] = []) =>
  all.filter((one) => !some.includes(one));
