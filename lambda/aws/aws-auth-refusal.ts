import { Fault } from "../base/fault.ts";
import { tryRoleArn } from "../base/role-arn.ts";
import type { AwsAuthEdit } from "../launch/aws-auth/edit.ts";
import type { RoleInMap } from "../launch/aws-auth/role-in-map.ts";
import { mappingJson } from "../launch/aws-auth/text.ts";
import { type NodeRole, nodeMapping } from "../launch/node-mapping.ts";
import { awsAuthTitle } from "./aws-auth-map.ts";

type Refusal = Extract<
  AwsAuthEdit | RoleInMap,
  { readonly kind: "taken" | "lacking" | "unreadable" | "other" }
>;

/** The fault for a role that is not registered, because of what `aws-auth` says. */
export function refusal(role: NodeRole, outcome: Refusal): Fault {
  const doing = `mapping ${role.arn} in ${awsAuthTitle}, mapRoles`;
  if (outcome.kind === "unreadable")
    return new Fault("access.unreadable", `${doing}: ${outcome.reason}; ${wayOut(role)}`);
  const { line } = outcome;
  if (outcome.kind === "taken") {
    const what = `line ${line} maps it to "${outcome.username}", who is no node`;
    return new Fault("access.taken", `${doing}: ${what}`);
  }
  const lacks = `the entry in line ${line} lacks ${outcome.lacks.join(", ")}`;
  if (outcome.kind === "lacking")
    return new Fault("access.taken", `${doing}: ${lacks}, and only its owner may change it`);
  const what = `${lacks}; an access entry would take ${outcome.has.join(", ")} from its nodes`;
  return new Fault("access.incomplete", `${doing}: ${what}`);
}

function wayOut({ arn, platform }: NodeRole): string {
  const role = tryRoleArn(arn);
  const line =
    role === undefined
      ? ""
      : `, or add this entry by hand, written as the others are: ${mappingJson(nodeMapping(role, platform))}`;
  return `make an access entry for the role if the cluster has access entries${line}`;
}
