import { roleField } from "../../lambda/base/field.ts";
import { read } from "../../lambda/base/read.ts";
import type { RoleArn } from "../../lambda/base/role-arn.ts";
import { listOf } from "../../lambda/base/schema.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { ownTaintField } from "../../lambda/drain/own-taint-field.ts";
import type { AuthenticationMode } from "../../lambda/launch/access.ts";
import { awsAuthUse } from "../../lambda/rights/aws-auth-use.ts";
import type { RightsChoice } from "../../lambda/rights/rights.ts";
import { readClusterFile } from "../../lib/cluster-file/read-cluster-config.ts";
import { partitionOf } from "../../lib/partition-of.ts";

const { force, makeRoom, taint } = nodeSettings.drain;
const { removeNode, outOfService } = nodeSettings.events;
const { kubernetesEvents } = nodeSettings.reports;
const roles = listOf(roleField, "a list of the ARNs of roles");

/** What a cluster's file says about the function's rights, and how the function gets into the cluster. */
export interface FileChoice {
  readonly rights: RightsChoice;
  readonly authenticationMode: AuthenticationMode;
}

/** Reads from a cluster's file which rights the function gets in that cluster. */
export function readRightsChoice(json: string, path: string, folder: string): FileChoice {
  const { config: file } = readClusterFile(json, path, folder);
  const { cluster, launch, hooks, drain, events, reports } = file;
  const { authenticationMode, account, region } = cluster;
  const nodeRoles = read(roles, file.nodeRoleArns ?? [], `${path}.nodeRoleArns`);
  const { access } = launch;
  const rights = {
    ...{ nodeRoles, apiPriority: file.apiPriority, upgrades: file.upgrades, repairs: file.repairs },
    account:
      account === undefined
        ? (nodeRoles.map(accountOfRole).at(0) ?? "")
        : `arn:${partitionOf(region)}:iam::${account}`,
    awsAuth: awsAuthUse({ authenticationMode, access, launching: hooks.launching }),
    ...drainRights(drain),
    ownTaint: read(ownTaintField, drain.taint ?? taint.default, `${path}.drain.taint`),
    removeNode: events.removeNode ?? removeNode.default,
    outOfService: events.outOfService ?? outOfService.default,
    events: reports.kubernetesEvents ?? kubernetesEvents.default,
  };
  return { rights, authenticationMode };
}

const drainRights = (drain: Partial<Pick<RightsChoice, "force" | "makeRoom">>) => ({
  force: drain.force ?? force.default,
  makeRoom: drain.makeRoom ?? makeRoom.default,
});

/** The beginning of the ARNs of the roles of a role's account. */
const accountOfRole = (role: RoleArn): string => role.slice(0, role.indexOf(":role/"));
