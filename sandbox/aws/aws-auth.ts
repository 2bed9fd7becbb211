import { parseDocument } from "yaml";

/** The data of ConfigMap `kube-system/aws-auth`. */
export type AwsAuthData = Readonly<Record<string, string>>;

/** A user's name and groups in the cluster; their templates are not filled in yet. */
export interface Mapping {
  readonly username: string;
  readonly groups: readonly string[];
}

/** The roles in a map; none if it cannot be read. */
function rolesIn({ mapRoles = "" }: AwsAuthData): readonly object[] {
  const document = parseDocument(mapRoles, { version: "1.1", uniqueKeys: false });
  const value: unknown = document.errors.length > 0 ? [] : document.toJS();
  return Array.isArray(value) ? value.map(Object) : [];
}

// Every request has a token, and to parse YAML would take half the time of the answer.
const known = new WeakMap<AwsAuthData, readonly object[]>();

/**
 * Finds the user that `aws-auth` maps a role to; undefined if it maps it to none. Nobody of the sandbox needs `mapUsers` or
 * `mapAccounts`.
 *
 * If several entries have the same ARN, the last one counts; they are not merged.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/tree/master/pkg/mapper/configmap
 */
export function tryMapByConfigMap(data: AwsAuthData, roleArn: string): Mapping | undefined {
  const roles = known.get(data) ?? rolesIn(data);
  known.set(data, roles);
  const found = roles.findLast(
    (role) => "rolearn" in role && String(role.rolearn).toLowerCase() === roleArn.toLowerCase(),
  );
  if (found === undefined) return undefined;
  const { username = "", groups = [] }: Partial<Mapping> = found;
  return { username, groups };
}
