/** What only some deployments do: hold launches, and let the roles of nodes in by access entries. */
export type Wanted = "access entries" | "launches";

/** Actions that a function's role is granted. */
export interface PermissionGrant<Target extends string> {
  readonly actions: readonly string[];
  readonly on: Target;
  /** The conditions of a policy's statement. @default none */
  readonly given?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Who needs them: the function's own calls, or AWS for what it does for them. */
  readonly for: "calls" | "platform";
  /** What a deployment has that needs them. @default all have it */
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

/** The permissions that grants come to, where their targets have these ARNs. */
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

const portion = 20;

/** Some ARNs at a time: CDK splits a role's policy that is too large, but only between statements. */
const portionsOf = (arns: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(arns.length / portion) }, (_, index) =>
    arns.slice(index * portion, (index + 1) * portion),
  );
