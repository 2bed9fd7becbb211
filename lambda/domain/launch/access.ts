/** Where the role of nodes is registered, and whether this launch added it or found it there. */
export interface Registration {
  readonly by: "aws-auth" | "access-entry";
  readonly change: "added" | "none";
  /** The version of the ConfigMap that has the role in it; empty for an access entry. */
  readonly version: string;
}

/** Where a cluster looks up IAM roles, in the words of EKS: in access entries, in `aws-auth` or in both. */
export type AuthenticationMode = "API" | "API_AND_CONFIG_MAP" | "CONFIG_MAP";

/** Where the function registers roles: `auto` follows the cluster's authentication mode, the other two do not. */
export type AccessByFunction = "auto" | "aws-auth" | "access-entry";

/** Who registers roles: the function, or the stack, which makes an access entry for each. */
export type AccessChoice = AccessByFunction | "at deployment";
