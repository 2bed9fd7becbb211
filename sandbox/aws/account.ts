/** An AWS account in one Region: the parts that every ARN in it carries. */
export interface Account {
  readonly partition: string;
  readonly region: string;
  readonly id: string;
}

/** Writes the ARN of a resource in this account and Region. */
export const arnOf = ({ partition, region, id }: Account, service: string, resource: string) =>
  `arn:${partition}:${service}:${region}:${id}:${resource}`;

/** Writes the ARN of an IAM resource, which belongs to no Region. */
export const iamArnOf = ({ partition, id }: Account, resource: string) =>
  `arn:${partition}:iam::${id}:${resource}`;

/** The ARN of the role of a session, as mappings name it: without the session, and without the role's path. */
export const roleOfSession = (arn: string): string =>
  arn.replace(/^(arn:[^:]*):sts::(\d*):assumed-role\/(.+)\/[^/]+$/, "$1:iam::$2:role/$3");

/** Takes the path out of a role's ARN, as STS does. */
export const withoutPath = (arn: string): string =>
  arn.replace(/^(arn:[^:]*:iam::\d*:(?:role|user)\/)(?:.*\/)?([^/]+)$/, "$1$2");
