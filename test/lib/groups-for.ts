import { groupName, instanceId } from "../../lambda/base/ids.ts";
import { hours, seconds } from "../../lambda/base/time.ts";
import { groupDefaults } from "../../sandbox/aws/group.ts";
import { StackNames } from "../../sandbox/stack/stack-names.ts";
import { StackPolicies } from "../../sandbox/stack/stack-policies.ts";
import { StackResources } from "../../sandbox/stack/stack-resources.ts";
import type { StackTemplate } from "../../sandbox/stack/template-schema.ts";
import { account, aServedAccount } from "../support/aws-account.ts";

/** A managed group, and one that is not. */
export const [workers, others] = [groupName("workers"), groupName("others")];

/** The launch template of each. */
export const own = groupDefaults.template;
/** The launch template of the group that is not managed. */
export const foreign = { ...own, id: "lt-0fedcba9876543210", name: "foreign" };

/** The policies of a template, and the name that it gives a role. */
export function policiesOf(template: StackTemplate, roleId: string) {
  const names = new StackNames(template, { account, queueUrl: (name) => name });
  const policies = new StackPolicies(new StackResources(template), names);
  const its = new RegExp(`^\\w*${roleId}[0-9A-F]{8}$`);
  const role = Object.keys(template.Resources).find((id) => its.test(id)) ?? "";
  return { policies, role };
}

/** An account with the two groups, and settings for clients that have the rights of a role of the template. */
export async function groupsFor(template: StackTemplate, roleId: string) {
  const { aws, server, timeline } = await aServedAccount();
  const { policies, role: name } = policiesOf(template, roleId);
  const role = aws.iam.createRole({ name, path: "/" });
  const nodes = aws.iam.createRole({ name: "nodes", path: "/" });
  const { arn: profileArn } = aws.iam.createInstanceProfile({ name: "nodes", path: "/" }, [nodes]);
  const usual = { zones: ["eu-west-1a"], desired: 1, launches: "by-itself" } as const;
  aws.autoScaling.createGroup({ name: workers, ...usual, template: { ...own, profileArn } });
  aws.autoScaling.createGroup({ name: others, ...usual, template: foreign });
  timeline.pass(seconds(1));
  aws.authorize = (request) => (policies.authorize(request) === "allowed" ? "allowed" : "denied");
  const credentials = aws.keys.assume({ role, sessionName: "work", duration: hours(1) });
  return {
    aws,
    settings: { endpoint: server.url, region: account.region, credentials },
    instanceOf: (group: string) =>
      instanceId(aws.autoScaling.register.instancesOf(group)[0]?.id ?? ""),
  };
}
