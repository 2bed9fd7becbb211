import type { RoleArn } from "../launch/role-arn.ts";
import type { LeftNodeSettings } from "../node/left-node.ts";
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
  "node-removal",
] as const;

/** Manifests that are applied together, or not at all. */
export type RightsPart = (typeof rightsParts)[number];

/** What the fences allow the function. */
export interface FenceLimits {
  /** The key of the taint that the function may write; empty for no taint. */
  readonly ownTaint: string;
  /** The beginning of the ARNs of the roles that the function may map, such as `arn:aws:iam::123456789012`; empty for no role. */
  readonly account: string;
  /** The roles that the function may map; if there are none here, any role of the account. */
  readonly nodeRoles: readonly RoleArn[];
  /** Whether the function may write the taint that says that a node is out of service. */
  readonly outOfService: LeftNodeSettings["outOfService"];
}

/** Which rights the function is to have in a cluster. */
export interface Rights extends FenceLimits {
  readonly parts: readonly RightsPart[];
}

/** What a deployment chooses of the rights. */
export interface RightsChoice extends FenceLimits {
  readonly force: "at-deadline" | "never";
  readonly awsAuth: AwsAuthUse;
  readonly removeNode: LeftNodeSettings["removeNode"];
}

const always: readonly RightsPart[] = ["fence", "aws-auth-fence", "rbac"];

const partsFor: Readonly<Record<AwsAuthUse, readonly RightsPart[]>> = {
  none: [],
  read: ["aws-auth-read"],
  edit: ["aws-auth-read", "aws-auth-edit"],
};

/** The rights that a deployment chooses. */
export const rightsFor = ({ force, awsAuth, removeNode, ...limits }: RightsChoice): Rights => ({
  ...limits,
  parts: [
    ...always,
    ...partsFor[awsAuth],
    ...(force === "never" ? [] : ["force" as const]),
    ...(removeNode === "never" ? [] : ["node-removal" as const]),
  ],
});
