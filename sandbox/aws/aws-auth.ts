import { parseDocument } from "yaml";
import type { Identity } from "./canonical-arn.ts";

/** The data of ConfigMap `kube-system/aws-auth`. */
export type AwsAuthData = Readonly<Record<string, string>>;

/** A user's name and groups in the cluster; their templates are not filled in yet. */
export interface Mapping {
  readonly username: string;
  readonly groups: readonly string[];
}

interface MappingEntry extends Mapping {
  readonly arn: string;
}

type MappingFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is MappingFields =>
  typeof value === "object" && value !== null;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Ignores the case of keys. Go reads keys in sorted order; of equal ones, the last wins. */
const lowerKeys = (fields: MappingFields): MappingFields =>
  Object.fromEntries(
    Object.keys(fields)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((key) => [key.toLowerCase(), fields[key]]),
  );

/** An unparsable section has no items at all. */
function items(section: string | undefined): readonly unknown[] {
  const document = parseDocument(section ?? "", { version: "1.1", uniqueKeys: false });
  if (document.errors.length > 0) return [];
  const value: unknown = document.toJS();
  return Array.isArray(value) ? value : [];
}

/** Reads a field of the wrong type as empty, and skips an item without an ARN. */
function entries(section: string | undefined, arnKey: string): readonly MappingEntry[] {
  return items(section).flatMap((item) => {
    if (!isFields(item)) return [];
    const { [arnKey]: named, sso, username, groups } = lowerKeys(item);
    const arn = text(named);
    if (arn === "" || isFields(sso)) return [];
    return [
      { arn, username: text(username), groups: Array.isArray(groups) ? groups.map(text) : [] },
    ];
  });
}

interface Sections {
  readonly roles: readonly MappingEntry[];
  readonly users: readonly MappingEntry[];
  readonly accounts: readonly string[];
}

const read = ({ mapRoles, mapUsers, mapAccounts }: AwsAuthData): Sections => ({
  roles: entries(mapRoles, "rolearn"),
  users: entries(mapUsers, "userarn"),
  accounts: items(mapAccounts).map((account) => String(account)),
});

// Every request has a token, and to parse YAML would take half the time of the answer.
const known = new WeakMap<AwsAuthData, Sections>();

function sectionsOf(data: AwsAuthData): Sections {
  const sections = known.get(data) ?? read(data);
  known.set(data, sections);
  return sections;
}

const find = (list: readonly MappingEntry[], arn: string): MappingEntry | undefined =>
  list.findLast((entry) => entry.arn.toLowerCase() === arn.toLowerCase());

/**
 * Finds the user that `aws-auth` maps an identity to; undefined if it maps none.
 *
 * If several entries have the same ARN, the last one counts; they are not merged.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/tree/master/pkg/mapper/configmap
 */
export function tryMapByConfigMap(data: AwsAuthData, identity: Identity): Mapping | undefined {
  const { canonicalArn, accountId } = identity;
  const { roles, users, accounts } = sectionsOf(data);
  const named = find(roles, canonicalArn) ?? find(users, canonicalArn);
  if (named !== undefined) return named;
  return accounts.includes(accountId) ? { username: canonicalArn, groups: [] } : undefined;
}
