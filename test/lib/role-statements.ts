import type { Template } from "aws-cdk-lib/assertions";
import { resolved } from "./resolved.ts";
import { resourcesOf } from "./synthesised.ts";

/** A statement of a role's policy. */
export interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: string;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What the policies of a role say. */
export const policyOf = (template: Template, role: RegExp): readonly Statement[] =>
  Object.values(resourcesOf(template))
    .filter(
      ({ Type, Properties }) =>
        Type === "AWS::IAM::Policy" && role.test(JSON.stringify(Properties.Roles)),
    )
    .flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
    );

/** The ARNs of a statement, as CloudFormation makes them. */
export const arnsIn = (value: unknown) => [value].flat().map(resolved);
