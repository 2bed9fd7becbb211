/** An entry of `mapRoles`, by which the authenticator gives a role a username and groups. */
export interface AwsAuthEntry {
  readonly arn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a map of YAML, with fields. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How the authenticator knows a field: Go's JSON compares names in any case, with the long s too. */
export const named = {
  rolearn: /^rolearn$/iu,
  username: /^username$/iu,
  groups: /^groups$/iu,
  sso: /^sso$/iu,
};

/**
 * Reads an item of `mapRoles` as the authenticator does; `undefined` when the authenticator ignores it.
 *
 * The authenticator ignores a field of the wrong type. An entry is either for one role or for the roles of SSO.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/config/mapper.go
 */
export function tryAwsAuthEntry(item: unknown): AwsAuthEntry | undefined {
  if (!isFields(item)) return undefined;
  const arn = textOf(item, "rolearn");
  if (arn === "" || (fieldOf(item, "sso") ?? null) !== null) return undefined;
  return { arn, username: textOf(item, "username"), groups: groupsOf(item) };
}

/** What one version of the authenticator may read differently from another in an item, if anything. */
export function doubtOfItem(item: unknown): string | undefined {
  if (!isFields(item)) return undefined;
  const keys = Object.keys(item);
  if (Object.values(named).some((name) => keys.filter((key) => name.test(key)).length > 1))
    return "an entry with two spellings of one field";
  // Go's ways to ignore case disagree on these two letters.
  return /[\u0130\u017f]/.test(textOf(item, "rolearn"))
    ? "an ARN with letters of no ARN"
    : undefined;
}

/** The entry that counts for a role: the last one with its ARN, in upper or lower case. */
export const tryEntryFor = <T extends AwsAuthEntry>(
  entries: readonly T[],
  arn: string,
): T | undefined => entries.findLast((entry) => isSameArn(entry.arn, arn));

/** The groups that an entry lacks of those that are wanted. */
export const groupsLacking = (
  wanted: readonly string[],
  { groups }: AwsAuthEntry,
): readonly string[] => wanted.filter((group) => !groups.includes(group));

/** Whether the authenticator takes two ARNs for the same. */
export const isSameArn = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const fieldOf = (fields: Fields, name: keyof typeof named): unknown =>
  Object.entries(fields).find(([key]) => named[name].test(key))?.[1];

function textOf(fields: Fields, name: "rolearn" | "username"): string {
  const value = fieldOf(fields, name);
  return typeof value === "string" ? value : "";
}

function groupsOf(fields: Fields): readonly string[] {
  const groups = fieldOf(fields, "groups");
  return (Array.isArray(groups) ? groups : []).map((group: unknown) =>
    typeof group === "string" ? group : "",
  );
}
