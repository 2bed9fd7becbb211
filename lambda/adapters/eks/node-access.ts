import { IAMClient } from "@aws-sdk/client-iam";
import type { AccessChoice } from "../../domain/launch/access.ts";
import type { LaunchPorts } from "../../ports/ports.ts";
import { awsClientOptions } from "../aws/aws-client-options.ts";
import { IamRoles } from "../aws/iam-roles.ts";
import { type RegistrationOptions, roleRegistration } from "./role-registration.ts";

/** The cluster that nodes join, and who lets in their roles. */
export interface NodeAccessOptions extends Omit<RegistrationOptions, "nodeAccess"> {
  readonly nodeAccess: AccessChoice;
  readonly iam: IAMClient;
}

/** The cluster that nodes join, and its Region. */
export interface OwnNodeAccess extends Omit<NodeAccessOptions, "iam"> {
  readonly region: string;
}

/** The ports of a launch besides those of a drain. */
export type NodeAccess = Pick<LaunchPorts, "access" | "roles">;

/** The roles of instances, and how they are let in. */
export function nodeAccessPorts(options: NodeAccessOptions): NodeAccess {
  const { nodeAccess, iam, clock } = options;
  if (nodeAccess === "at deployment") return atDeployment;
  const access = roleRegistration({ ...options, nodeAccess });
  return { roles: new IamRoles(iam, clock), access };
}

/** The same ports, with a client of IAM of their own. */
export const openNodeAccess = ({ region, ...rest }: OwnNodeAccess): NodeAccess =>
  nodeAccessPorts({ ...rest, iam: new IAMClient(awsClientOptions(region)) });

/** The stack has let the roles in. The function may ask neither IAM nor EKS, so the instance profile stands for its role. */
const atDeployment: NodeAccess = {
  roles: { roleIn: async (profile) => profile },
  access: { register: async () => ({ by: "access-entry", change: "none", version: "" }) },
};
