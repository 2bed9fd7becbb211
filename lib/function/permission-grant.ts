/**
 * What only some deployments do: hold launches, admit the roles of nodes by access entries, take instances out of load
 * balancers, and add versions to launch templates.
 */
export type OptionalGrant = "access entries" | "deregistration" | "launches" | "new versions";

/** Actions that a function's role may do, and why. */
export interface PermissionGrant<Target extends string> {
  readonly actions: readonly string[];
  readonly on: Target;
  /** The conditions of a policy's statement. @default none */
  readonly given?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The condition key that limits them to the roles of nodes, where a deployment names these. @default none */
  readonly roleKey?: string;
  /** The condition key that limits them to the launch templates of the groups. @default none */
  readonly templateKey?: string;
  /** Who needs them: the function for its calls, or AWS for what it does for the function. */
  readonly for: "calls" | "platform";
  /** What a deployment must do to need them. @default every deployment needs them */
  readonly wanted?: OptionalGrant;
  readonly why: string;
}

type More = Omit<PermissionGrant<string>, "actions" | "for" | "on" | "why">;

const rowFor =
  (whom: PermissionGrant<string>["for"]) =>
  <Target extends string>(
    on: Target,
    actions: readonly string[],
    why: string,
    more: More = {},
  ): PermissionGrant<Target> => ({ ...more, actions, on, for: whom, why });

/** Actions that the function needs for its calls. */
export const forCalls = rowFor("calls");

/** Actions that AWS needs for what it does for the function. */
export const forPlatform = rowFor("platform");

/** Calls that only describe, and know no resources. */
export const describes = (actions: readonly string[], why: string): PermissionGrant<"any"> =>
  forCalls("any", actions, `${why}; knows no resources`);

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

/** What a grant can be limited to by its condition keys, as far as a deployment names it. */
interface GrantLimits {
  readonly role: readonly string[] | undefined;
  readonly template: readonly string[] | undefined;
}

/** Limits a grant to the roles of nodes and to launch templates, by ARNs. */
export function limited<Target extends string>(
  grant: PermissionGrant<Target>,
  limits: GrantLimits,
): PermissionGrant<Target> {
  const { roleKey, templateKey } = grant;
  const arns = {
    ...(roleKey !== undefined && limits.role && { [roleKey]: limits.role }),
    ...(templateKey !== undefined && limits.template && { [templateKey]: limits.template }),
  };
  if (Object.keys(arns).length === 0) return grant;
  return { ...grant, given: { ...grant.given, ArnEquals: arns } };
}

const portion = 20;

/** Splits ARNs or names into portions, because CDK splits a policy that is too large only between statements. */
export const portionsOf = (arns: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(arns.length / portion) }, (_, index) =>
    arns.slice(index * portion, (index + 1) * portion),
  );
