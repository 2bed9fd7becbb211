/**
 * What only some deployments do: hold launches, admit the roles of nodes by access entries, and take instances out of
 * load balancers.
 */
export type Wanted = "access entries" | "deregistration" | "launches";

/** Actions that a function's role may do, and why. */
export interface PermissionGrant<Target extends string> {
  readonly actions: readonly string[];
  readonly on: Target;
  /** The conditions of a policy's statement. @default none */
  readonly given?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The condition key that limits them to the roles of nodes, where a deployment names these. @default none */
  readonly roleKey?: string;
  /** Who needs them: the function for its calls, or AWS for what it does for the function. */
  readonly for: "calls" | "platform";
  /** What a deployment must do to need them. @default every deployment needs them */
  readonly wanted?: Wanted;
  readonly why: string;
}

/** A statement of a role's policy, which allows actions on resources. */
export interface Permission {
  readonly actions: readonly string[];
  /** ARNs, or `*`. */
  readonly resources: readonly string[];
  /** @default none */
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Makes permissions from grants, with the ARNs of their targets. */
export const permissionsOf = <Target extends string>(
  grants: readonly PermissionGrant<Target>[],
  arns: Readonly<Record<Target, readonly string[]>>,
): readonly Permission[] =>
  grants.flatMap(({ actions, on, given: conditions }) =>
    portionsOf(arns[on]).map((resources) => ({
      actions,
      resources,
      ...(conditions && { conditions }),
    })),
  );

/** Limits a grant to the roles of nodes, where they are named. */
export const toRoles = <Target extends string>(
  grant: PermissionGrant<Target>,
  roles: readonly string[] | undefined,
): PermissionGrant<Target> =>
  grant.roleKey === undefined || roles === undefined
    ? grant
    : { ...grant, given: { ...grant.given, ArnEquals: { [grant.roleKey]: roles } } };

const portion = 20;

/** Splits ARNs into portions, because CDK splits a policy that is too large only between statements. */
const portionsOf = (arns: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(arns.length / portion) }, (_, index) =>
    arns.slice(index * portion, (index + 1) * portion),
  );
