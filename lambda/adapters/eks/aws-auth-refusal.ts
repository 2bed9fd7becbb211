import type { AwsAuthEdit } from "../../domain/aws-auth/edit.ts";
import type { RoleStanding } from "../../domain/aws-auth/role-standing.ts";
import type { NodeRole } from "../../domain/launch/node-mapping.ts";
import { Fault } from "../../fault.ts";
import { awsAuthTitle } from "./aws-auth-map.ts";

type Refusal = Extract<
  AwsAuthEdit | RoleStanding,
  { readonly kind: "taken" | "unreadable" | "other" }
>;

/** The fault for a role that is not registered, because of what `aws-auth` says. */
export function refusal({ arn }: NodeRole, outcome: Refusal): Fault {
  const doing = `mapping ${arn} in ${awsAuthTitle}, mapRoles`;
  if (outcome.kind === "unreadable")
    return new Fault("access.unreadable", `${doing}: ${outcome.reason}`);
  if (outcome.kind === "taken") {
    const { line, username } = outcome;
    const what = `line ${line} maps it to "${username}", who is no node`;
    return new Fault("access.taken", `${doing}: ${what}`);
  }
  const { line, lacks, has } = outcome;
  const what = `the entry in line ${line} lacks ${lacks.join(", ")}; an access entry would take ${has.join(", ")} from its nodes`;
  return new Fault("access.incomplete", `${doing}: ${what}`);
}
