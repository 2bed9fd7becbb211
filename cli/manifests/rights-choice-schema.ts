import { partition } from "@aws-sdk/core/client";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { type AuthenticationMode, authenticationModes } from "../../lambda/domain/launch/access.ts";
import type { RoleArn } from "../../lambda/domain/launch/role-arn.ts";
import { type AwsAuthUse, awsAuthUse } from "../../lambda/domain/rights/aws-auth-use.ts";
import type { RightsChoice } from "../../lambda/domain/rights/rights.ts";
import { roleField } from "../../lambda/schema/field.ts";
import { ownTaintField } from "../../lambda/schema/own-taint-field.ts";
import { read, readJson } from "../../lambda/schema/read.ts";
import { listOf, oneOf, optional, orDefault, record, text } from "../../lambda/schema/schema.ts";

const { access } = nodeSettings.launch;
const { force, taint } = nodeSettings.drain;
const { removeNode, outOfService } = nodeSettings.events;
const { kubernetesEvents } = nodeSettings.reports;

const fileSchema = record({
  cluster: optional(
    record({
      authenticationMode: optional(oneOf(...authenticationModes)),
      account: optional(text("an account such as 123456789012", /^\d{12}$/)),
      region: optional(text("a Region such as eu-west-1", /^[a-z\d-]+$/)),
    }),
  ),
  nodeRoleArns: optional(listOf(roleField, "a list of the ARNs of roles")),
  launch: optional(record({ access: optional(oneOf(...access.form.words)) })),
  hooks: optional(record({ launching: optional(oneOf("held", "not held")) })),
  events: optional(
    record({
      removeNode: optional(oneOf(...removeNode.form.words)),
      outOfService: optional(oneOf(...outOfService.form.words)),
    }),
  ),
  reports: optional(record({ kubernetesEvents: optional(oneOf(...kubernetesEvents.form.words)) })),
  apiPriority: optional(oneOf("own", "shared")),
  upgrades: orDefault(oneOf("off", "on"), "off"),
  repairs: orDefault(oneOf("off", "on"), "off"),
  drain: optional(
    record({ force: optional(oneOf(...force.form.words)), taint: optional(ownTaintField) }),
  ),
});

/** What a cluster's file says about the function's rights, and how the function gets into the cluster. */
export interface FileChoice {
  readonly rights: RightsChoice;
  readonly authenticationMode: AuthenticationMode;
}

/** Reads from a cluster's file which rights the function gets in that cluster. */
export function readRightsChoice(json: string, path: string): FileChoice {
  const file = read(fileSchema, readJson(json, path), path);
  const { cluster, launch, hooks, drain, events, apiPriority = "shared" } = file;
  const { nodeRoleArns: nodeRoles = [] } = file;
  const authenticationMode = cluster?.authenticationMode ?? "CONFIG_MAP";
  const awsAuth: AwsAuthUse = awsAuthUse({
    authenticationMode,
    access: launch?.access,
    launching: hooks?.launching,
  });
  const ownTaint = drain?.taint ?? taint.default;
  const account = accountOf(cluster ?? nowhere) ?? nodeRoles.map(accountOfRole).at(0) ?? "";
  const chosen = {
    force: drain?.force ?? force.default,
    removeNode: events?.removeNode ?? removeNode.default,
    outOfService: events?.outOfService ?? outOfService.default,
    events: file.reports?.kubernetesEvents ?? kubernetesEvents.default,
    apiPriority,
    upgrades: file.upgrades,
    repairs: file.repairs,
  };
  return { rights: { ...chosen, awsAuth, ownTaint, account, nodeRoles }, authenticationMode };
}

/** The beginning of the ARNs of the roles of a role's account. */
const accountOfRole = (role: RoleArn): string => role.slice(0, role.indexOf(":role/"));

interface Place {
  readonly account: string | undefined;
  readonly region: string | undefined;
}

const nowhere: Place = { account: undefined, region: undefined };

function accountOf({ account, region }: Place) {
  if (account === undefined || region === undefined) return undefined;
  return `arn:${partition(region).name}:iam::${account}`;
}
