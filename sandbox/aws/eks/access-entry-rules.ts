import type { Account } from "../account.ts";
import { accountOf } from "../canonical-arn.ts";
import type { Iam } from "../iam/iam.ts";
import { type EntryType, entryTypes } from "./access-entry.ts";
import { invalidParameter } from "./eks-errors.ts";

/** Reads the type of an entry, or refuses an unknown one. */
export function entryType(text: string): EntryType {
  const type = entryTypes.find((known) => known === text);
  if (type === undefined)
    throw invalidParameter(
      `The type ${text} is invalid: must be one of [${entryTypes.join(", ")}]`,
    );
  return type;
}

/**
 * Refuses a principal that cannot have an entry:
 * - an STS session, or anything else that is neither a role nor a user
 * - a service-linked role
 * - a principal of another account, for an entry for nodes
 * - a role of this account that does not exist
 */
export function checkPrincipal(
  arn: string,
  type: EntryType,
  world: { iam: Iam; account: Account },
) {
  const form = /^arn:[a-z-]+:iam::(\d{12}):(role|user)\/.+$/.exec(arn);
  const own = accountOf(arn) === world.account.id;
  const foreignNode = type !== "STANDARD" && !own;
  const missing = form?.[2] === "role" && own && world.iam.tryFindRole(arn)?.arn !== arn;
  if (form === null || arn.includes(":role/aws-service-role/") || foreignNode || missing)
    throw invalidParameter("The specified principalArn is invalid: invalid principal.");
}

/** The username that EKS gives an entry if the request names none. */
export function usualUsername(principalArn: string, type: EntryType): string {
  if (type === "FARGATE_LINUX" || type === "HYBRID_LINUX") return "system:node:{{SessionName}}";
  if (type !== "STANDARD") return "system:node:{{EC2PrivateDNSName}}";
  const [, partition, , , account = "", ...resource] = principalArn.split(":");
  const name = resource.join(":").split("/").at(-1);
  return principalArn.includes(":role/")
    ? `arn:${partition}:sts::${account}:assumed-role/${name}/{{SessionName}}`
    : principalArn;
}

/** The groups EKS gives to nodes; the Windows group is inferred from what kube-proxy needs. */
export function usualGroups(type: EntryType): readonly string[] {
  if (type === "STANDARD") return [];
  return type === "EC2_WINDOWS" ? ["eks:kube-proxy-windows", "system:nodes"] : ["system:nodes"];
}
