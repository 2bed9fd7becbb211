import { CustomResource, Duration, Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { explainWildcard } from "../function/explain-wildcard.ts";
import { functionCode } from "../function/function-code.ts";
import { functionLogs } from "../function/function-logs.ts";
import { bundleRun, functionRole, grant, grantLog } from "../function/function-role.ts";
import { serviceTokenOf } from "../function/provider.ts";
import { arnPattern, type ManagedGroup, nameOf } from "../managed-group.ts";

/** The hooks that each of some groups gets. */
export interface AskedHooksProps {
  readonly groups: readonly ManagedGroup[];
  readonly hooks: readonly { readonly name: string; readonly transition: string }[];
  readonly heartbeat: Duration;
  readonly topicArn: string;
  /** The role by which Auto Scaling tells the topic. */
  readonly role: Role;
}

const limitSeconds = 600; // 210 groups have 420 hooks
const unknownId = "the id in the ARN of a group is not known beforehand";
const describes = "autoscaling:DescribeLifecycleHooks knows no resources";

/** The hooks of groups of which a template knows no more than that there is a list: a function of the stack puts them. */
export class AskedHooks extends Construct {
  readonly resource: CustomResource;

  constructor(scope: Construct, id: string, props: AskedHooksProps) {
    super(scope, id);
    const what = "Asks for the hooks of the groups on behalf of CloudFormation";
    const serviceToken = serviceTokenOf(this, this.#function(props), { what });
    this.resource = new CustomResource(this, "Resource", {
      resourceType: "Custom::EksNodeLifecycleHooks",
      serviceToken,
      serviceTimeout: Duration.seconds(2 * limitSeconds),
      properties: {
        Groups: props.groups.map(nameOf),
        Hooks: props.hooks.map(({ name: Name, transition: Transition }) => ({ Name, Transition })),
        Heartbeat: props.heartbeat.toSeconds(),
        TopicArn: props.topicArn,
        RoleArn: props.role.roleArn,
      },
    });
  }

  #function(props: AskedHooksProps): lambda.Function {
    const description = "Puts the lifecycle hooks of the groups when the stack is deployed";
    const logGroup = functionLogs(this, "Logs");
    const role = functionRole(this, "Role", description);
    grantLog(role, logGroup);
    this.#grant(role, props);
    return new lambda.Function(this, "Function", {
      ...{ description, role, logGroup },
      ...bundleRun(),
      code: functionCode("hooks"),
      timeout: Duration.seconds(limitSeconds),
      memorySize: 256,
    });
  }

  #grant(role: Role, { groups, role: its }: AskedHooksProps): void {
    grant(role, ["autoscaling:DescribeLifecycleHooks"], "*");
    explainWildcard(role, "*", describes);
    for (const arn of groups.map((group) => arnPattern(group, Stack.of(this)))) {
      grant(role, ["autoscaling:PutLifecycleHook", "autoscaling:DeleteLifecycleHook"], arn);
      explainWildcard(role, arn, unknownId);
    }
    const conditions = { StringEquals: { "iam:PassedToService": "autoscaling.amazonaws.com" } };
    role.addToPolicy(
      new PolicyStatement({ actions: ["iam:PassRole"], resources: [its.roleArn], conditions }),
    );
  }
}
