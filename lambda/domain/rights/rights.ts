import type { AwsAuthUse } from "./aws-auth-use.ts";

/**
 * The parts of the function's rights in a cluster, in the order in which they are applied.
 *
 * The fences come first, so that there is no right without its fence. A part that no deployment chooses any more stays
 * in this list, so that it is removed wherever it was applied.
 */
export const rightsParts = [
  "fence",
  "aws-auth-fence",
  "rbac",
  "aws-auth-read",
  "aws-auth-edit",
  "force",
] as const;

/** Manifests that are applied together, or not at all. */
export type RightsPart = (typeof rightsParts)[number];

/** Which rights the function is to have in a cluster. */
export interface Rights {
  readonly parts: readonly RightsPart[];
  /** The key of the taint that the fence allows the function to write; empty for no taint. */
  readonly ownTaint: string;
}

/** What a deployment chooses of the rights. */
export interface RightsChoice {
  readonly force: "at-deadline" | "never";
  readonly awsAuth: AwsAuthUse;
  readonly ownTaint: string;
}

const always: readonly RightsPart[] = ["fence", "aws-auth-fence", "rbac"];

const partsFor: Readonly<Record<AwsAuthUse, readonly RightsPart[]>> = {
  none: [],
  read: ["aws-auth-read"],
  edit: ["aws-auth-read", "aws-auth-edit"],
};

/** The rights that a deployment chooses. */
export const rightsFor = ({ force, awsAuth, ownTaint }: RightsChoice): Rights => ({
  parts: [...always, ...partsFor[awsAuth], ...(force === "never" ? [] : ["force" as const])],
  ownTaint,
});
