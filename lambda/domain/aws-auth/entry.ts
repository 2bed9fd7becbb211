/** An entry of `mapRoles`, by which the authenticator gives a role a username and groups. */
export interface AwsAuthEntry {
  readonly arn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads an item of `mapRoles` as the authenticator does; `undefined` when the authenticator ignores it.
 *
 * The authenticator ignores a field of the wrong type. An entry is either for one role or for the roles of SSO.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/config/mapper.go
 */
export function tryAwsAuthEntry(item: unknown): AwsAuthEntry | undefined {
  if (!isFields(item)) return undefined;
  const arn = textOf(item, "rolearn");
  if (arn === "" || valuesOf(item, "sso").some((value) => value !== null)) return undefined;
  return { arn, username: textOf(item, "username"), groups: groupsOf(item) };
}

/** The entry that counts for a role: the last one with its ARN, in upper or lower case. */
export const tryEntryFor = <T extends AwsAuthEntry>(
  entries: readonly T[],
  arn: string,
): T | undefined => entries.findLast((entry) => isSameArn(entry.arn, arn));

/** Whether the authenticator takes two ARNs for the same. */
export const isSameArn = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** All values of a field, in whatever case its name is written: capitals come first, and the last value counts. */
const valuesOf = (fields: Fields, name: string): readonly unknown[] =>
  Object.keys(fields)
    .filter((key) => key.toLowerCase() === name)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((key) => fields[key]);

const textOf = (fields: Fields, name: string): string =>
  valuesOf(fields, name)
    .filter((value) => typeof value === "string")
    .at(-1) ?? "";

function groupsOf(fields: Fields): readonly string[] {
  const lists = valuesOf(fields, "groups").filter(
    (value) => value === null || Array.isArray(value),
  );
  return (lists.at(-1) ?? []).map((group: unknown) => (typeof group === "string" ? group : ""));
}
