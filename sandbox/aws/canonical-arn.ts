/** A principal, in the form that role mappings use. */
export interface Identity {
  /** A role's ARN without session and path, or a user's. */
  readonly canonicalArn: string;
  readonly accountId: string;
  /** The name of a role's session; empty for a user. */
  readonly sessionName: string;
  readonly accessKeyId: string;
}

/**
 * Turns the ARN of a role's session into the role's ARN; undefined if it names no principal.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/arn/arn.go
 */
export function tryCanonicalArn(arn: string): string | undefined {
  const [, partition, service, , account, ...rest] = arn.split(":");
  const [kind, ...names] = rest.join(":").split("/");
  if (service === "iam" && ["role", "root", "user"].includes(kind ?? "")) return arn;
  if (service !== "sts") return undefined;
  if (kind === "federated-user") return arn;
  if (kind !== "assumed-role" || names.length < 2) return undefined;
  return `arn:${partition}:iam::${account}:role/${names.slice(0, -1).join("/")}`;
}

/** Takes the path out of a role's ARN, as STS does. */
export const withoutPath = (arn: string): string =>
  arn.replace(/^(arn:[^:]*:iam::\d*:(?:role|user)\/)(?:.*\/)?([^/]+)$/, "$1$2");

/** The account an ARN belongs to. */
export const accountOf = (arn: string): string => arn.split(":")[4] ?? "";
