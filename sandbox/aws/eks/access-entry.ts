import type { Instant } from "../../../lambda/domain/time.ts";

/** The kinds of access entry; all but `STANDARD` are for nodes. @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html */
export const entryTypes = [
  "EC2",
  "EC2_LINUX",
  "EC2_WINDOWS",
  "FARGATE_LINUX",
  "HYBRID_LINUX",
  "HYPERPOD_LINUX",
  "STANDARD",
] as const;

/** The kind of an access entry. */
export type EntryType = (typeof entryTypes)[number];

/** What an access entry is asked to be; what is not given, EKS chooses. */
export interface EntryRequest {
  readonly principalArn: string;
  readonly type: string;
  readonly username: string | undefined;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Makes a repeated request the same request. */
  readonly clientToken: string;
}

/** Who a principal is in the cluster, by the EKS API. */
export interface AccessEntry {
  readonly arn: string;
  readonly principalArn: string;
  /** The unique id of the role at the time; a namesake has another. */
  readonly principalId: string;
  readonly type: EntryType;
  readonly username: string;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly modifiedAt: Instant;
  readonly clientToken: string;
}
