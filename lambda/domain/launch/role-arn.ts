declare const brand: unique symbol;

/** A role of IAM as the cluster's authenticator knows it: by the ARN that STS gives, which has no path. */
export type RoleArn = string & { readonly [brand]: "RoleArn" };

// aws, aws-cn, aws-us-gov, aws-iso, aws-iso-b, aws-eusc, and whatever comes
const form =
  /^(arn:aws(?:-[a-z]+)*:iam::\d{12}:role\/)(?:[\x21-\x7e]{0,510}\/)?([\w+=,.@-]{1,64})$/;

/**
 * Takes the path out of a role's ARN; `undefined` when it is no role's.
 *
 * An instance profile is not its role, and a session's ARN is not one of IAM: neither is guessed at.
 */
export function tryRoleArn(arn: string): RoleArn | undefined {
  const [, beginning, name] = form.exec(arn) ?? [];
  return name === undefined ? undefined : (`${beginning}${name}` as RoleArn);
}
