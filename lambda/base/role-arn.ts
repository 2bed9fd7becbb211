declare const brand: unique symbol;

/** An IAM role as the cluster's authenticator knows it: by the ARN that STS gives, which has no path. */
export type RoleArn = string & { readonly [brand]: "RoleArn" };

// aws, aws-cn, aws-us-gov, aws-iso, aws-iso-b, aws-eusc, and partitions to come
const form =
  /^(arn:aws(?:-[a-z]+)*:iam::\d{12}:role\/)(?:[\x21-\x7e]{0,510}\/)?([\w+=,.@-]{1,64})$/;

/**
 * Removes the path from a role's ARN; `undefined` when it is not the ARN of a role.
 *
 * It does not guess a role from the ARN of an instance profile, or from that of an STS session.
 */
export function tryRoleArn(arn: string): RoleArn | undefined {
  const [, beginning, name] = form.exec(arn) ?? [];
  return name === undefined ? undefined : (`${beginning}${name}` as RoleArn);
}
