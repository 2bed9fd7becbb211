import { parseAllDocuments } from "yaml";

/** The username and the groups that the authenticator gives to a role. */
export interface Mapped {
  readonly username: string;
  readonly groups: readonly string[];
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const field = (fields: Readonly<Record<string, unknown>>, name: string): unknown => {
  const keys = Object.keys(fields).filter((key) => key.toLowerCase() === name);
  return fields[keys.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? ""];
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads `mapRoles` by the rules of aws-iam-authenticator: the mapping of every role, by its ARN in lower case. */
export function authenticated(mapRoles: string): ReadonlyMap<string, Mapped> {
  if (/^\s*(''|""|``)?\s*$/.test(mapRoles)) return new Map();
  const source = mapRoles.replace(/^\ufeff/, "");
  const options = { version: "1.1", uniqueKeys: false, logLevel: "silent" } as const;
  const [document] = parseAllDocuments(source, options);
  if (document === undefined || document.errors.length > 0) return new Map();
  const value: unknown = document.toJS();
  const entries = (Array.isArray(value) ? value : []).filter(isFields).map((item) => {
    const groups = field(item, "groups");
    return {
      arn: text(field(item, "rolearn")),
      sso: field(item, "sso") ?? "none",
      mapped: {
        username: text(field(item, "username")),
        groups: Array.isArray(groups) ? groups.map(text) : [],
      },
    };
  });
  const valid = entries.filter(({ arn, sso }) => arn !== "" && sso === "none");
  return new Map(valid.map(({ arn, mapped }) => [arn.toLowerCase(), mapped]));
}
