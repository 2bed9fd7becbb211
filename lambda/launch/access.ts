/** Where the role of nodes is registered, and whether this launch added it or found it there. */
export interface Registration {
  readonly by: "aws-auth" | "access-entry";
  readonly change: "added" | "none";
  /** The version of the ConfigMap that has the role in it; empty for an access entry. */
  readonly version: string;
}

/** Where clusters look up IAM roles, in the words of EKS: in access entries, in both, or in `aws-auth`. */
export const authenticationModes = ["API", "API_AND_CONFIG_MAP", "CONFIG_MAP"] as const;

/** Where a cluster looks up IAM roles. */
export type AuthenticationMode = (typeof authenticationModes)[number];

/** Where the function registers roles: `auto` follows the cluster's authentication mode, the other two do not. */
export type AccessByFunction = "auto" | "aws-auth" | "access-entry";

/** Who registers roles: the function, or the stack, which makes an access entry for each. */
export type AccessChoice = AccessByFunction | "at deployment";
