/**
 * The parts of a deployment that are optional: hold launches, create access entries for nodes, deregister instances from
 * load balancers, and add versions to launch templates.
 */
export type OptionalGrant = "access entries" | "deregistration" | "launches" | "new versions";

/** Actions that the role of a function is allowed, and why. */
export interface PermissionGrant<Target extends string> {
  readonly actions: readonly string[];
  readonly on: Target;
  /** The conditions of a policy's statement. @default none */
  readonly given?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The condition key that limits them to the roles of nodes, if the deployment names these. @default none */
  readonly roleKey?: string;
  /** The condition key that limits them to the launch templates of the groups. @default none */
  readonly templateKey?: string;
  /** The user of the rights: the function's own calls, or AWS on behalf of the function. */
  readonly for: "calls" | "platform";
  /** The optional part that needs them. @default every deployment needs them */
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

export const forCalls = rowFor("calls");

/** Actions for AWS on behalf of the function. */
export const forPlatform = rowFor("platform");

/** Actions that only describe, for which AWS supports no resources. */
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

/** Limits a grant to the roles of nodes and to launch templates, by ARNs. */
export function limited<Target extends string>(
  grant: PermissionGrant<Target>,
  limits: {
    readonly role: readonly string[] | undefined;
    readonly template: readonly string[] | undefined;
  },
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
