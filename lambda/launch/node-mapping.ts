import type { RoleArn } from "../base/role-arn.ts";
import type { Platform } from "../drain/ec2-instance.ts";

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

/** Whether a username is that of a node, whatever the node is called. */
export const isNodeUsername = (username: string): boolean => username.startsWith("system:node:");
