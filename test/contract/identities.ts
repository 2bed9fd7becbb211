import type { AccessKey } from "../../sandbox/aws/access-keys.ts";
import type { RbacObject } from "../../sandbox/kubernetes/api/authorizer.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { manifestsWithout, permissions, titleOf } from "./permissions.ts";

/** The account of all roles. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** A caller of the cluster: an IAM role, and the group that aws-auth puts it in. */
export interface Actor {
  readonly role: string;
  readonly group: string;
}

/** The function as it is deployed. */
export const theFunction: Actor = { role: "eks-node-lifecycle", group: "eks-node-lifecycle" };

/** The role that sets the scene. */
export const theAdministrator: Actor = { role: "administrator", group: "system:masters" };

/** A role that AWS knows and the cluster does not. */
export const aStranger = "stranger";

/** The function without one permission, by the title of that permission. */
export const theDeprived: ReadonlyMap<string, Actor> = new Map(
  permissions.map((permission, index) => [
    titleOf(permission),
    { role: `deprived-${index}`, group: `deprived-${index}` },
  ]),
);

const mapped: readonly Actor[] = [theFunction, theAdministrator, ...theDeprived.values()];

/** The map that gives all roles but the stranger access. */
export const awsAuth = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "aws-auth", namespace: "kube-system" },
  data: { mapRoles: JSON.stringify(mapped.map(mappingOf)) },
};

function mappingOf({ role, group }: Actor) {
  return {
    rolearn: `arn:aws:iam::${account.id}:role/${role}`,
    username: role,
    groups: [group],
  };
}

/** The RBAC objects of all these roles. */
export const rbac: readonly RbacObject[] = [
  ...rbacManifest(),
  ...permissions.flatMap((permission) =>
    manifestsWithout(permission, theDeprived.get(titleOf(permission))?.group ?? ""),
  ),
];

/** The access keys of all roles. */
export const keys: readonly AccessKey[] = [...mapped.map(({ role }) => role), aStranger].map(
  (role) => ({
    accessKeyId: keyOf(role),
    secretAccessKey: `secret of ${role}`.replaceAll(" ", "-"),
    sessionToken: "",
    principal: {
      arn: `arn:aws:sts::${account.id}:assumed-role/${role}/contract`,
      userId: `AROA${role.toUpperCase()}:contract`,
    },
    expires: "never",
  }),
);

/** The ID of the access key of a role. */
export function keyOf(role: string): string {
  return `AKIA${role.toUpperCase().replaceAll("-", "")}`;
}
