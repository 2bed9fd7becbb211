import { minutes } from "../../lambda/base/time.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { Authentication } from "../../sandbox/aws/token-authenticator.ts";
import type { Authenticator } from "../../sandbox/kubernetes/api/authenticator.ts";
import { roleBasedAuthorizer } from "../../sandbox/kubernetes/api/authorizer.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { clusterName } from "./world-options.ts";

/** Allows the requests that the deployed roles allow. */
export const deployedRoles = roleBasedAuthorizer(rbacManifest());

/**
 * Judges tokens as EKS does, each once a minute, and records every token that a request carries.
 */
export function judgeOf(aws: Aws, shown: Set<string>): Authenticator {
  const judged = new Map<string, Authentication>();
  return async (token) => {
    shown.add(token);
    const key = `${Math.floor(aws.timeline.now() / minutes(1))} ${token}`;
    const who = judged.get(key) ?? (await authenticate(aws, token));
    judged.set(key, who);
    return who.kind === "user" ? { username: who.username, groups: who.groups } : undefined;
  };
}

const authenticate = (aws: Aws, token: string): Promise<Authentication> =>
  aws.authenticator(clusterName, () => undefined).authenticate(token);
