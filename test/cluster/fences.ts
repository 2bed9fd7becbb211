import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import type { FenceLimits } from "../../lambda/domain/rights/rights.ts";
import { readRights } from "../../lambda/events/rights.ts";
import { account } from "../domain/aws-auth/corpus.ts";

/** What the fences allow in these tests. */
export const limits: FenceLimits = {
  ownTaint: "",
  account: `arn:aws:iam::${account}`,
  nodeRoles: [],
};

/** The admission policies as a deployment applies them, by default for the roles of the corpus's account. */
export function fences(change: Partial<FenceLimits> = {}): readonly string[] {
  const parts = ["fence", "aws-auth-fence"] as const;
  const { wanted } = readRights(accessManifests(), { ...limits, ...change, parts });
  return wanted.map(({ body }) => JSON.stringify(body));
}
