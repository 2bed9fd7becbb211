import type { Aws } from "../../sandbox/aws/aws.ts";
import type { Authenticator } from "../../sandbox/cluster/api/authenticator.ts";
import { roleBasedAuthorizer } from "../../sandbox/cluster/api/authorizer.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { clusterName } from "./landscape.ts";

/** Allows what the deployed roles allow. */
export const deployedRoles = roleBasedAuthorizer(rbacManifest());

/** Judges tokens as EKS does, and notes every one that is shown. */
export const judgeOf =
  (aws: Aws, shown: Set<string>): Authenticator =>
  async (token) => {
    shown.add(token);
    const who = aws.authenticator(clusterName, () => undefined).authenticate(token);
    return who.kind === "user" ? { username: who.username, groups: who.groups } : undefined;
  };
