import { partition } from "@aws-sdk/core/client";
import * as z from "zod/mini";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { keyOfTaint, taintKey } from "../../lambda/domain/labels.ts";
import { type AuthenticationMode, authenticationModes } from "../../lambda/domain/launch/access.ts";
import type { RoleArn } from "../../lambda/domain/launch/role-arn.ts";
import { type AwsAuthUse, awsAuthUse } from "../../lambda/domain/rights/aws-auth-use.ts";
import type { RightsChoice } from "../../lambda/domain/rights/rights.ts";
import { oneOf, record, roleField, text } from "../../lambda/schema/field.ts";
import { read, readJson } from "../../lambda/schema/read.ts";

const { access } = nodeSettings.launch;
const { force, taint } = nodeSettings.drain;
const { removeNode, outOfService } = nodeSettings.events;
const { kubernetesEvents } = nodeSettings.reports;

const taintText = text(
  `a taint such as ${taint.form.example}`,
  new RegExp(`^${taintKey}(?:=[^:]*)?:\\w+$`),
);

const fileSchema = record({
  cluster: z.optional(
    record({
      authenticationMode: z.optional(oneOf(...authenticationModes)),
      account: z.optional(text("an account such as 123456789012", /^\d{12}$/)),
      region: z.optional(text("a Region such as eu-west-1", /^[a-z\d-]+$/)),
    }),
  ),
  nodeRoleArns: z.optional(z.array(roleField, "a list of the ARNs of roles")),
  launch: z.optional(record({ access: z.optional(oneOf(...access.form.words)) })),
  hooks: z.optional(record({ launching: z.optional(oneOf("held", "not held")) })),
  events: z.optional(
    record({
      removeNode: z.optional(oneOf(...removeNode.form.words)),
      outOfService: z.optional(oneOf(...outOfService.form.words)),
    }),
  ),
  reports: z.optional(
    record({ kubernetesEvents: z.optional(oneOf(...kubernetesEvents.form.words)) }),
  ),
  apiPriority: z.optional(oneOf("own", "shared")),
  drain: z.optional(
    record({ force: z.optional(oneOf(...force.form.words)), taint: z.optional(taintText) }),
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
  const { cluster = {}, launch, hooks, drain = {}, events = {}, apiPriority = "shared" } = file;
  const { nodeRoleArns: nodeRoles = [], reports = {} } = file;
  const { authenticationMode = "CONFIG_MAP" } = cluster;
  const awsAuth: AwsAuthUse = awsAuthUse({
    authenticationMode,
    access: launch?.access,
    launching: hooks?.launching,
  });
  const ownTaint = keyOfTaint(drain.taint ?? taint.default);
  const account = accountOf(cluster) ?? nodeRoles.map(accountOfRole).at(0) ?? "";
  const chosen = {
    force: drain.force ?? force.default,
    removeNode: events.removeNode ?? removeNode.default,
    outOfService: events.outOfService ?? outOfService.default,
    events: reports.kubernetesEvents ?? kubernetesEvents.default,
    apiPriority,
  };
  return { rights: { ...chosen, awsAuth, ownTaint, account, nodeRoles }, authenticationMode };
}

/** The beginning of the ARNs of the roles of a role's account. */
export const accountOfRole = (role: RoleArn): string => role.slice(0, role.indexOf(":role/"));

function accountOf(cluster: {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}) {
  const { account, region } = cluster;
  if (account === undefined || region === undefined) return undefined;
  return `arn:${partition(region).name}:iam::${account}`;
}
