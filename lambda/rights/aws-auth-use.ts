import type { AccessChoice, AuthenticationMode } from "../launch/node-mapping.ts";

/** What the function does with `aws-auth`: nothing, see whether a role is in it, or write roles into it. */
export type AwsAuthUse = "none" | "read" | "edit";

/** What a deployment knows about the registration of node roles. */
export interface NodeAdmission {
  readonly authenticationMode: AuthenticationMode;
  /** @default "auto" */
  readonly access?: AccessChoice | undefined;
  /** Whether launching instances are held until their node is ready. @default "held" */
  readonly launching?: "held" | "not held" | undefined;
}

/** What a deployment of the function does with `aws-auth`, which the cluster does not read in mode API. */
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
