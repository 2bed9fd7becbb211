import type { RoleArn } from "../base/role-arn.ts";
import type { Platform } from "../group/ec2-instance.ts";

/** An IAM role whose instances are to join as nodes of a platform; the ARN is the one that IAM gives, path included. */
export interface NodeRole {
  readonly arn: string;
  readonly platform: Platform;
}

/** The username and the groups that the cluster gives to the instances of a role. */
export interface RoleMapping {
  readonly role: RoleArn;
  readonly username: string;
  readonly groups: readonly string[];
}

// On Windows kube-proxy works as the node itself, so the node needs the rights of kube-proxy.
const groupsOf: Readonly<Record<Platform, readonly string[]>> = {
  linux: ["system:bootstrappers", "system:nodes"],
  windows: ["system:bootstrappers", "system:nodes", "eks:kube-proxy-windows"],
};

/**
 * The mapping that the role of a node needs for the kubelet to join.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html
 */
export const nodeMapping = (role: RoleArn, platform: Platform): RoleMapping => ({
  role,
  username: "system:node:{{EC2PrivateDNSName}}",
  groups: groupsOf[platform],
});

export const isNodeUsername = (username: string): boolean => username.startsWith("system:node:");

/** Where the role of nodes is registered, and whether this launch added it or found it there. */
export interface Registration {
  readonly by: "aws-auth" | "access-entry";
  readonly change: "added" | "none";
  /** The version of the ConfigMap with the role; empty for an access entry. */
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
