import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { StackNames } from "../../sandbox/stack/stack-names.ts";
import { StackPolicies } from "../../sandbox/stack/stack-policies.ts";
import { StackResources } from "../../sandbox/stack/stack-resources.ts";
import { templateSchema } from "../../sandbox/stack/template-schema.ts";
import { synthesised } from "./synthesised.ts";

const template = templateSchema.parse(synthesised({ upgrades: "on", repairs: "on" }).toJSON());

/** The account that the sample's template is judged in. */
export const { account } = terminateAction;

/** The names in the sample's template. */
export const names = new StackNames(template, {
  account,
  queueUrl: (name) => `https://sqs.${account.region}.amazonaws.com/${account.id}/${name}`,
});

/** The policies of the sample's template, which judge as IAM does. */
export const policies = new StackPolicies(new StackResources(template), names);

/** The logical ids of the resources of a type with such a name. */
export const idsOf = (type: string, name: RegExp): readonly string[] =>
  Object.entries(template.Resources)
    .filter(([id, { Type }]) => Type === type && name.test(id))
    .map(([id]) => id);

/** The logical id of the only resource of a type with such a name. */
export function idOf(type: string, name: RegExp): string {
  const [only, ...others] = idsOf(type, name);
  if (only !== undefined && others.length === 0) return only;
  throw new Error(`the template has no or several ${type} ${name}`);
}
