import { CfnOutput, CfnWaitConditionHandle, CustomResource, Duration, Stack } from "aws-cdk-lib";
import { CfnLifecycleHook } from "aws-cdk-lib/aws-autoscaling";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { Construct, type IDependable } from "constructs";
import { hookNames } from "../../lambda/base/contract.ts";
import type { GroupTag } from "../../lambda/base/ids.ts";
import type { hookSettings } from "../../lambda/config/settings.ts";
import { explainWildcard } from "../function/explain-wildcard.ts";
import { functionCode } from "../function/function-code.ts";
import {
  bundleRun,
  functionLogs,
  functionRole,
  grant,
  grantLog,
} from "../function/function-role.ts";
import { serviceTokenOf } from "../function/provider.ts";
import { assertHooksFit } from "../limits/group-limits.ts";
import { defaultHeartbeat } from "../limits/limits.ts";
import { arnPattern, idOf, type ManagedGroup, nameOf } from "../managed-group.ts";
import type { OptionsOf } from "../options/options.ts";
import { Refusal } from "../refusal.ts";
import type { NoticeTopic } from "./notice-topic.ts";

/** The options of lifecycle hooks. */
export interface HookOptions extends OptionsOf<typeof hookSettings> {
  /** @default "Terminate-LC-Hook", as managed node groups have it */
  readonly terminateName?: string;
  /** @default "Launch-LC-Hook", as managed node groups have it */
  readonly launchName?: string;
  /** Whether launching instances are held until their node is ready. @default "held" */
  readonly launching?: "held" | "not held";
  /** Whether each hook is a resource, or a function of the stack puts all of them, for groups that only a parameter names. @default "resource" */
  readonly madeAs?: "asked" | "resource";
}

/** The groups that get hooks, and the topic that the hooks notify. */
export interface LifecycleHooksProps extends HookOptions {
  readonly groups: readonly ManagedGroup[];
  readonly topic: NoticeTopic;
  /** A tag of other groups, to which only their owners can give hooks. @default only the groups above */
  readonly groupTag?: GroupTag;
  /**
   * The constructs that have to exist before the hooks, and until they are deleted, so that their
   * notices are answered.
   */
  readonly after: readonly IDependable[];
}

const terminating = "autoscaling:EC2_INSTANCE_TERMINATING";
const launching = "autoscaling:EC2_INSTANCE_LAUNCHING";

/** Holds every terminating instance of the groups until its node has drained, and every launching one until it is ready. */
export class LifecycleHooks extends Construct {
  readonly role: Role;
  readonly hooks: readonly CfnLifecycleHook[];
  /** The heartbeat timeout of a hook. */
  readonly heartbeat: Duration;

  constructor(scope: Construct, id: string, props: LifecycleHooksProps) {
    super(scope, id);
    const { groups, topic, heartbeat = defaultHeartbeat } = props;
    this.heartbeat = heartbeat;
    const transitions = transitionsOf(props);
    assertHooksFit(groups.length);
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("autoscaling.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
      description: "Tells a topic of instances that Auto Scaling holds",
    });
    topic.admitHooks(this.role);
    if (props.groupTag !== undefined) this.#tellCommands(transitions, heartbeat, topic);
    const answered = this.#answered(props);
    const asked = { groups, hooks: transitions, heartbeat, role: this.role };
    if (props.madeAs === "asked" && groups.length > 0)
      askedHooks(new Construct(this, "Asked"), {
        ...asked,
        topicArn: topic.topic.topicArn,
      }).node.addDependency(answered);
    this.hooks = props.madeAs === "asked" ? [] : this.#made(asked, topic, answered);
  }

  #made(
    { groups, hooks, heartbeat }: Omit<HooksByFunction, "topicArn">,
    { topic }: NoticeTopic,
    answered: IDependable,
  ): readonly CfnLifecycleHook[] {
    return groups.flatMap((group) =>
      hooks.map(({ kind, transition, name }) => {
        const hook = new CfnLifecycleHook(this, `${kind}${idOf(group, Stack.of(this))}`, {
          autoScalingGroupName: nameOf(group),
          lifecycleHookName: name,
          lifecycleTransition: transition,
          heartbeatTimeout: heartbeat.toSeconds(),
          defaultResult: "CONTINUE", // a drain that fails must not hold instances back
          notificationTargetArn: topic.topicArn,
          roleArn: this.role.roleArn,
        });
        hook.node.addDependency(answered);
        return hook;
      }),
    );
  }

  /**
   * One resource that depends on everything that answers a hook. If each hook had these dependencies, the template would be
   * too large.
   */
  #answered({ after }: LifecycleHooksProps): CfnWaitConditionHandle {
    const answered = new CfnWaitConditionHandle(this, "Answered");
    // Auto Scaling publishes a test notice as soon as a hook exists, and its role must be allowed to by then.
    answered.node.addDependency(this.role, ...after);
    return answered;
  }

  /** Outputs the commands that create the hooks of groups that CDK does not know. */
  #tellCommands(transitions: Transitions, heartbeat: Duration, { topic }: NoticeTopic): void {
    for (const { kind, transition, name } of transitions)
      new CfnOutput(this, `${kind}Command`, {
        description: "Gives a group its hook; GROUP stands for the name of the group",
        value: `aws autoscaling put-lifecycle-hook --auto-scaling-group-name GROUP --lifecycle-hook-name ${name} --lifecycle-transition ${transition} --heartbeat-timeout ${heartbeat.toSeconds()} --default-result CONTINUE --notification-target-arn ${topic.topicArn} --role-arn ${this.role.roleArn}`,
      });
  }
}

type Transitions = ReturnType<typeof transitionsOf>;

function transitionsOf({
  terminateName = hookNames.terminate,
  launchName = hookNames.launch,
  launching: held = "held",
}: HookOptions) {
  if (held === "held" && launchName === terminateName)
    throw new Refusal(
      `the launch hooks and the terminate hooks are both called ${launchName}, and a group has but one hook of a name; "Launch-LC-Hook" and "Terminate-LC-Hook" will do`,
    );
  const leave = { kind: "Terminate", transition: terminating, name: terminateName };
  const arrive = { kind: "Launch", transition: launching, name: launchName };
  return held === "held" ? [leave, arrive] : [leave];
}

/** The hooks that a function of the stack creates for some groups. */
interface HooksByFunction {
  readonly groups: readonly ManagedGroup[];
  readonly hooks: Transitions;
  readonly heartbeat: Duration;
  readonly topicArn: string;
  /** The role with which Auto Scaling publishes to the topic. */
  readonly role: Role;
}

const limitSeconds = 600; // 210 groups have 420 hooks
const unknownId = "the id in the ARN of a group is not known beforehand";
const describes = "autoscaling:DescribeLifecycleHooks knows no resources";

/** The hooks of groups that a template knows only as a parameter: a function of the stack creates them. */
function askedHooks(scope: Construct, asked: HooksByFunction): CustomResource {
  const what = "Asks for the hooks of the groups on behalf of CloudFormation";
  const serviceToken = serviceTokenOf(scope, hooksFunction(scope, asked), { what });
  return new CustomResource(scope, "Resource", {
    resourceType: "Custom::EksNodeLifecycleHooks",
    serviceToken,
    serviceTimeout: Duration.seconds(2 * limitSeconds),
    properties: {
      Groups: asked.groups.map(nameOf),
      Hooks: asked.hooks.map(({ name: Name, transition: Transition }) => ({ Name, Transition })),
      Heartbeat: asked.heartbeat.toSeconds(),
      TopicArn: asked.topicArn,
      RoleArn: asked.role.roleArn,
    },
  });
}

function hooksFunction(scope: Construct, asked: HooksByFunction): lambda.Function {
  const description = "Puts the lifecycle hooks of the groups when the stack is deployed";
  const logGroup = functionLogs(scope, "Logs");
  const role = functionRole(scope, "Role", description);
  grantLog(role, logGroup);
  grant(role, ["autoscaling:DescribeLifecycleHooks"], "*");
  explainWildcard(role, "*", describes);
  for (const arn of asked.groups.map((group) => arnPattern(group, Stack.of(scope)))) {
    grant(role, ["autoscaling:PutLifecycleHook", "autoscaling:DeleteLifecycleHook"], arn);
    explainWildcard(role, arn, unknownId);
  }
  const conditions = { StringEquals: { "iam:PassedToService": "autoscaling.amazonaws.com" } };
  const resources = [asked.role.roleArn];
  role.addToPolicy(new PolicyStatement({ actions: ["iam:PassRole"], resources, conditions }));
  return new lambda.Function(scope, "Function", {
    description,
    role,
    logGroup,
    ...bundleRun(),
    code: functionCode("hooks"),
    timeout: Duration.seconds(limitSeconds),
    memorySize: 256,
  });
}
