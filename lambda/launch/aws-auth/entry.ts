/** An entry of `mapRoles`: the authenticator gives a role this username and these groups. */
export interface AwsAuthEntry {
  readonly arn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

/**
 * Reads an item of `mapRoles` as the authenticator does: `"no entry"` when it ignores the item, and `undefined` when one
 * of its versions may read it differently from another, because a field has two spellings.
 *
 * The authenticator ignores a field of the wrong type. An entry is either for one role or for the roles of SSO.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/config/mapper.go
 */
export function tryAwsAuthEntry(item: unknown): AwsAuthEntry | "no entry" | undefined {
  // Go's JSON ignores the case of names. What is no map has none of them.
  const named = Object.entries(item ?? {}).map(
    ([key, value]) => [key.toLowerCase(), value] as const,
  );
  const fields = new Map<string, unknown>(named);
  if (fields.size < named.length) return undefined;
  const arn = textOf(fields.get("rolearn"));
  if (arn === "" || (fields.get("sso") ?? null) !== null) return "no entry";
  const groups: unknown = fields.get("groups");
  return {
    arn,
    username: textOf(fields.get("username")),
    groups: Array.isArray(groups) ? groups.map(textOf) : [],
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The entry that counts for a role: the last one with its ARN, in upper or lower case. */
export const tryEntryFor = (entries: readonly AwsAuthEntry[], arn: string) =>
  entries.findLast((entry) => entry.arn.toLowerCase() === arn.toLowerCase());

/** The groups that an entry lacks of those that are wanted. */
export const groupsLacking = (
  wanted: readonly string[],
  { groups }: AwsAuthEntry,
): readonly string[] => wanted.filter((group) => !groups.includes(group));
