import type { Instant } from "../../lambda/base/time.ts";

/** The types of access entries; all but `STANDARD` are for nodes. @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html */
export const entryTypes = [
  "EC2",
  "EC2_LINUX",
  "EC2_WINDOWS",
  "FARGATE_LINUX",
  "HYBRID_LINUX",
  "HYPERPOD_LINUX",
  "STANDARD",
] as const;

/** The type of an access entry. */
export type EntryType = (typeof entryTypes)[number];

/** The access entry that a caller requests; EKS chooses whatever the caller leaves out. */
export interface EntryRequest {
  readonly principalArn: string;
  readonly type: string;
  readonly username: string | undefined;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Two requests with the same token count as one request. */
  readonly clientToken: string;
}

/** Maps a principal to a user of the cluster; managed through the EKS API. */
export interface AccessEntry {
  readonly arn: string;
  readonly principalArn: string;
  /** The role's unique id when the entry was created; a later role of that name has another id. */
  readonly principalId: string;
  readonly type: EntryType;
  readonly username: string;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly modifiedAt: Instant;
  readonly clientToken: string;
}
