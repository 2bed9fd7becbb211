import { IAMClient, type IAMClientConfig } from "@aws-sdk/client-iam";
import type { AccessChoice } from "../launch/access.ts";
import type { LaunchPorts } from "../registrations/ports.ts";
import { IamRoles } from "./iam-roles.ts";
import { type RegistrationOptions, roleRegistration } from "./role-registration.ts";

/** The cluster that nodes join, who lets in their roles, and the options of AWS clients. */
export interface NodeAccessOptions extends Omit<RegistrationOptions, "nodeAccess"> {
  readonly nodeAccess: AccessChoice;
  readonly options: IAMClientConfig;
}

/** The ports of a launch besides those of a drain. */
export type NodeAccess = Pick<LaunchPorts, "access" | "roles">;

/** The roles of instances, and how they are let in. */
export function nodeAccessPorts(given: NodeAccessOptions): NodeAccess {
  const { nodeAccess, options, clock } = given;
  if (nodeAccess === "at deployment") return atDeployment;
  const access = roleRegistration({ ...given, nodeAccess });
  return { roles: new IamRoles(new IAMClient(options), clock), access };
}

/** The stack has let the roles in. The function may ask neither IAM nor EKS, so the instance profile stands for its role. */
const atDeployment: NodeAccess = {
  roles: { roleIn: async (profile) => profile },
  access: { register: async () => ({ by: "access-entry", change: "none", version: "" }) },
};
