import type { NodeAdmission } from "../../lambda/rights/aws-auth-use.ts";
import { Refusal } from "../refusal.ts";

/** The kind of access to use if the cluster's authentication mode excludes this one; `undefined` otherwise. */
export function tryOtherAccess(admission: NodeAdmission): string | undefined {
  const { authenticationMode: mode, access, launching } = admission;
  if (launching === "not held" && access !== "at deployment") return undefined;
  if (mode === "CONFIG_MAP" && (access === "access-entry" || access === "at deployment"))
    return '"auto" or "aws-auth", for a cluster in mode CONFIG_MAP has no access entries';
  if (mode === "API" && access === "aws-auth")
    return '"auto" or "access-entry", for a cluster in mode API does not read aws-auth';
  return undefined;
}

/** Refuses a kind of access with which no node could join the cluster. */
export function assertAccess(admission: NodeAdmission): void {
  const other = tryOtherAccess(admission);
  if (other !== undefined)
    throw new Refusal(
      `nodes cannot be registered by ${JSON.stringify(admission.access)}; use ${other}`,
    );
}
