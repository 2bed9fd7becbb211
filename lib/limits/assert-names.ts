import { Token } from "aws-cdk-lib";
import { clusterName, hookName, launchTemplateId, roleArn } from "../cluster-file/name-schema.ts";
import type { CompleteProps } from "../complete-props.ts";
import { Refusal } from "../refusal.ts";

/**
 * Refuses names that AWS would refuse in the middle of the deployment, and those that IAM would read as a pattern. Only the
 * deployment knows a token.
 */
export function assertNames(props: CompleteProps): void {
  const { cluster, hooks = {}, nodeRoles = [], launchTemplates = [] } = props;
  assertName("cluster.clusterName", cluster.clusterName, clusterName);
  assertName("hooks.terminateName", hooks.terminateName, hookName);
  assertName("hooks.launchName", hooks.launchName, hookName);
  assertEach("nodeRoles", nodeRoles, roleArn);
  assertEach("launchTemplates", launchTemplates, launchTemplateId);
}

type NameForm = typeof hookName;

function assertEach(place: string, names: readonly string[], form: NameForm): void {
  if (Token.isUnresolved(names)) return;
  for (const [index, name] of names.entries()) assertName(`${place}[${index}]`, name, form);
}

function assertName(place: string, name: string | undefined, form: NameForm): void {
  if (name === undefined || Token.isUnresolved(name)) return;
  const { error } = form.safeParse(name);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined)
    throw new Refusal(`${place} is ${JSON.stringify(name)}; expected ${issue.message}`);
}
