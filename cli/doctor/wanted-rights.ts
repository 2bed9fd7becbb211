import type { OutputName } from "../../lambda/base/contract.ts";
import { ownTaintText } from "../../lambda/drain/own-taint.ts";
import { authenticationModes } from "../../lambda/launch/access.ts";
import { awsAuthUse } from "../../lambda/rights/aws-auth-use.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { everyOf, type Found, known } from "../connect/found.ts";
import { accessManifests } from "../manifests/access-manifests.ts";
import { modeOf } from "./access.ts";
import { holdsLaunches, type Site } from "./site.ts";

/** How the rights come into the cluster once more. */
export const apply =
  "apply the rights again: deploy with a new version, or npx eks-node-lifecycle manifests CLUSTER | kubectl apply -f - (docs/deploy.md#rights-by-hand)";

/** The objects that give the function its rights, as far as its configuration tells which. */
export function objectsOf(site: Site): Found<readonly ClusterObject[]> {
  const found = everyOf([site.parts.config, modeOf(site)]);
  if (found.kind === "unknown") return found;
  const [{ drain, interruption, reports, nodeAccess: access }, mode] = found.value;
  const { force, makeRoom, taints } = drain.settingsFor({}).settings;
  const { removeNode, outOfService } = interruption.settingsFor({}).settings;
  const authenticationMode = authenticationModes.find((one) => one === mode) ?? "API";
  const isThere = (name: OutputName) => (site.parts.output(name).kind === "known" ? "on" : "off");
  const launching = holdsLaunches(site) ? "held" : "not held";
  const rights = rightsFor({
    ...{ force, makeRoom, removeNode, outOfService, events: reports.kubernetesEvents },
    ...{ awsAuth: awsAuthUse({ authenticationMode, access, launching }), apiPriority: "shared" },
    upgrades: isThere("UpgradeFunctionName"),
    repairs: isThere("RepairFunctionName"),
    ...{ ownTaint: ownTaintText(taints), account: "", nodeRoles: [] },
  });
  return known(readRights(accessManifests(), rights).wanted);
}
