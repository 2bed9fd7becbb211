import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { type FenceLimits, type RightsChoice, rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { account, roleOf } from "../launch/aws-auth/corpus.ts";
import type { ControlPlane } from "./control-plane.ts";
import { untilEnforced } from "./until-enforced.ts";

/** What the fences allow in these tests. */
export const limits: FenceLimits = {
  ownTaint: "",
  account: `arn:aws:iam::${account}`,
  nodeRoles: ["node", "one", "two", "three"].map(roleOf),
  outOfService: "never",
  makeRoom: "on",
  conditions: "off",
  force: "at-deadline",
};

/** The admission policies as a deployment applies them, by default for some roles of the corpus's account. */
export function fences(change: Partial<FenceLimits> = {}): readonly string[] {
  const parts = ["fence", "aws-auth-fence"] as const;
  const { wanted } = readRights(accessManifests(), { ...limits, ...change, parts });
  return wanted.map(({ body }) => JSON.stringify(body));
}

/** Applies all rights and fences that a deployment can have, and waits until the fences are in force. */
export async function deployRights(
  controlPlane: ControlPlane,
  change: Partial<RightsChoice> = {},
): Promise<void> {
  const rights = rightsFor({ ...limits, ...allRights, ...change });
  const { wanted } = readRights(accessManifests(), rights);
  await controlPlane.apply(...wanted.map(({ body }) => JSON.stringify(body)));
  await untilEnforced(controlPlane);
}

const allRights = {
  force: "at-deadline",
  awsAuth: "edit",
  removeNode: "terminated",
  apiPriority: "own",
  events: "on",
  upgrades: "on",
  repairs: "on",
  secondOpinion: "restart-agent",
} as const;

/** Applies the admission policies and everything that the function may do, and waits until the policies are in force. */
export async function fenceIn(
  controlPlane: ControlPlane,
  change: Partial<FenceLimits> = {},
): Promise<void> {
  const rbac = rbacManifest().map((object) => JSON.stringify(object));
  await controlPlane.apply(...fences(change), ...rbac);
  await untilEnforced(controlPlane);
}
