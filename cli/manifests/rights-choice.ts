import { nodeSettings } from "../../lambda/config/settings.ts";
import type { AuthenticationMode } from "../../lambda/domain/launch/access.ts";
import type { RoleArn } from "../../lambda/domain/launch/role-arn.ts";
import { awsAuthUse } from "../../lambda/domain/rights/aws-auth-use.ts";
import type { RightsChoice } from "../../lambda/domain/rights/rights.ts";
import { roleField } from "../../lambda/schema/field.ts";
import { ownTaintField } from "../../lambda/schema/own-taint-field.ts";
import { read } from "../../lambda/schema/read.ts";
import { listOf } from "../../lambda/schema/schema.ts";
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
