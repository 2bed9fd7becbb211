import type { Platform } from "../node/ec2-instance.ts";
import type { RoleArn } from "./role-arn.ts";

/** A role of IAM, by its ARN as IAM has it, whose holders are to join as nodes of a platform. */
export interface NodeRole {
  readonly arn: string;
  readonly platform: Platform;
}

/** Whom the cluster takes the holders of a role for. */
export interface RoleMapping {
  readonly role: RoleArn;
  readonly username: string;
  readonly groups: readonly string[];
}

// kube-proxy on Windows works under the node's own name, and has to be let.
const groupsOf: Readonly<Record<Platform, readonly string[]>> = {
  linux: ["system:bootstrappers", "system:nodes"],
  windows: ["system:bootstrappers", "system:nodes", "eks:kube-proxy-windows"],
};

/**
 * What the role of a node has to be mapped to for its kubelet to join.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html
 */
export const nodeMapping = (role: RoleArn, platform: Platform): RoleMapping => ({
  role,
  username: "system:node:{{EC2PrivateDNSName}}",
  groups: groupsOf[platform],
});

/** Whether a username is that of a node, by whichever name. */
export const isNodeUsername = (username: string): boolean => username.startsWith("system:node:");
