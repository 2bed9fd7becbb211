import type { AccessChoice, AuthenticationMode } from "../launch/node-mapping.ts";

/**
 * The use of `aws-auth` by the function: none, see whether a role is in it, or write roles into it.
 */
export type AwsAuthUse = "none" | "read" | "edit";

/** The facts of a deployment about the registration of node roles. */
export interface NodeAdmission {
  readonly authenticationMode: AuthenticationMode;
  /** @default "auto" */
  readonly access?: AccessChoice | undefined;
  /** The hold on launching instances until their node is ready. @default "held" */
  readonly launching?: "held" | "not held" | undefined;
}

/** The use of `aws-auth` by a deployment; the cluster does not read it in mode API. */
export function awsAuthUse({
  authenticationMode,
  access = "auto",
  launching = "held",
}: NodeAdmission): AwsAuthUse {
  if (launching === "not held" || access === "access-entry" || access === "at deployment")
    return "none";
  if (authenticationMode === "API") return "none";
  return access === "aws-auth" || authenticationMode === "CONFIG_MAP" ? "edit" : "read";
}

/** Whether the function makes access entries for the roles of new nodes. */
export function makesEntries({ authenticationMode, access, launching }: NodeAdmission): boolean {
  if (launching === "not held" || access === "at deployment") return false;
  return authenticationMode !== "CONFIG_MAP" && access !== "aws-auth";
}
