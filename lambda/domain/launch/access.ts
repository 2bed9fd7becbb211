/** By what a role is let in as nodes, and whether that was there already. */
export interface Registration {
  readonly by: "aws-auth" | "access-entry";
  readonly change: "added" | "none";
  /** The version of the ConfigMap with the role in it; empty for an access entry. */
  readonly version: string;
}

/** Who may come in by what, as EKS has it. */
export type AuthenticationMode = "API" | "API_AND_CONFIG_MAP" | "CONFIG_MAP";

/** By what roles are let in: as the cluster's authentication mode says, or by the one or the other whatever it says. */
export type AccessChoice = "auto" | "aws-auth" | "access-entry";
