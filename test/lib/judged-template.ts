import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { StackNames } from "../../sandbox/stack/stack-names.ts";
import { rolePolicies, StackPolicies, statementOf } from "../../sandbox/stack/stack-policies.ts";
import { StackResources } from "../../sandbox/stack/stack-resources.ts";
import { templateSchema } from "../../sandbox/stack/template-schema.ts";
import { everythingOn } from "./everything-on.ts";
import { synthesised } from "./synthesised.ts";

/** The account that templates are judged in. */
export const { account } = terminateAction;

/** Judges by the policies of a template, as IAM does. */
function judged(change: Parameters<typeof synthesised>[0]) {
  const template = templateSchema.parse(synthesised(change).toJSON());
  const resources = new StackResources(template);
  const names = new StackNames(template, {
    account,
    queueUrl: (name) => `https://sqs.${account.region}.amazonaws.com/${account.id}/${name}`,
  });
  /** The logical ids of the resources of a type with such a name. */
  const idsOf = (type: string, name: RegExp): readonly string[] =>
    Object.entries(template.Resources)
      .filter(([id, { Type }]) => Type === type && name.test(id))
      .map(([id]) => id);
  /** The logical id of the only resource of a type with such a name. */
  const idOf = (type: string, name: RegExp): string => {
    const [only, ...others] = idsOf(type, name);
    if (only !== undefined && others.length === 0) return only;
    throw new Error(`the template has no or several ${type} ${name}`);
  };
  /** The statements of all roles. */
  const statements = rolePolicies(resources).flatMap(({ its }) =>
    its.PolicyDocument.Statement.map((raw) => statementOf(raw, names)),
  );
  const policies = new StackPolicies(resources, names);
  return { names, idsOf, idOf, statements, policies, resources };
}

/** The sample's template. */
export const sampled = judged({});
export const { names, policies, idOf, idsOf } = sampled;

/** The template of a stack with everything on. */
export const everything = judged(everythingOn);
