import { Template } from "aws-cdk-lib/assertions";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, it } from "vitest";
import { blockInstancesAction } from "../../cli/connect/blocks-at.ts";
import { stackEventsAction } from "../../cli/connect/stack-state.ts";
import { doctorActions } from "../../cli/doctor/doctor-command.ts";
import { repairActions, statusActions } from "../../cli/status/status-command.ts";
import { upgradeActions } from "../../cli/upgrade/upgrade-site.ts";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import type { NodeLifecycle } from "../../lib/node-lifecycle.ts";
import { ownLifecycle, ownStack } from "./own-stack.ts";
import { arnsIn, policyOf } from "./role-statements.ts";
import { resourcesOf, sample, sampleWebhook, synthesised } from "./synthesised.ts";

type Granting = (lifecycle: NodeLifecycle, role: Role) => unknown;
type Props = Parameters<typeof ownLifecycle>[0];

/** The statements of a role that a deployment grants something. */
function statementsOf(grant: Granting, props: Props = () => ({})) {
  const { lifecycle, stack } = ownLifecycle(props);
  const role = new Role(stack, "OnCall", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
  grant(lifecycle, role);
  return policyOf(Template.fromStack(stack), /OnCall/);
}

const namesIn = (arns: unknown) =>
  arnsIn(arns).map((one) => one.replace(/(?<=[a-z])[0-9A-F]{8}(?=\W|$)/g, ""));

/** What a role may do that a deployment grants it something. */
const granted = (grant: Granting, props?: Props) =>
  statementsOf(grant, props).map(({ Action, Resource }) => [
    [Action].flat().toSorted(),
    namesIn(Resource),
  ]);

const queue = "LifecycleInboxQueue.Arn";
const deadLetters = "LifecycleInboxDeadLetters.Arn";

describe("a role that is granted", () => {
  it("to send messages may put them into the queue", () => {
    expect(granted((its, role) => its.grantSendMessages(role))).toEqual([
      [["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"], [queue]],
    ]);
  });

  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
  it("to redrive may move the dead letters into the queue", () => {
    expect(granted((its, role) => its.grantRedrive(role))).toEqual([
      [
        [
          "sqs:CancelMessageMoveTask",
          "sqs:ChangeMessageVisibility",
          "sqs:DeleteMessage",
          "sqs:GetQueueAttributes",
          "sqs:ListMessageMoveTasks",
          "sqs:ReceiveMessage",
          "sqs:StartMessageMoveTask",
        ],
        [deadLetters],
      ],
      [["sqs:GetQueueAttributes", "sqs:SendMessage"], [queue]],
    ]);
  });

  it("to redrive may also list the dead letters of upgrades and repairs, and move none of them", () => {
    const statements = granted(
      (its, role) => its.grantRedrive(role),
      () => ({ upgrades: "on", repairs: "on" }),
    );

    const others = statements.filter(([, arns]) => !arns?.some((one) => /Inbox/.test(one)));
    expect(
      others.flatMap(([actions, arns]) => actions?.flatMap((one) => `${one} ${arns}`)),
    ).toEqual(
      ["UpgradesCommands", "RepairsPasses"].flatMap((work) => [
        `sqs:GetQueueAttributes Lifecycle${work}Queue.Arn`,
        `sqs:ReceiveMessage Lifecycle${work}DeadLetters.Arn`,
        `sqs:ChangeMessageVisibility Lifecycle${work}DeadLetters.Arn`,
      ]),
    );
  });

  it("the status may read what the command reads, and write nothing", () => {
    const statements = granted((its, role) => its.grantStatus(role));

    expect(statements).toContainEqual([["sqs:GetQueueAttributes"], [queue, deadLetters]]);
    expect(statements).toContainEqual([
      ["lambda:GetFunctionConfiguration"],
      ["LifecycleNodeFunction.Arn"],
    ]);
    expect(statements).toContainEqual([["logs:FilterLogEvents"], ["LifecycleNodeLogs.Arn"]]);
    const actions = statements.flatMap(([allowed]) => allowed);
    expect(actions.toSorted()).toEqual([...statusActions, stackEventsAction].toSorted());
  });

  it("the status of a deployment that repairs may also judge as the repair function does", () => {
    const statements = granted(
      (its, role) => its.grantStatus(role),
      () => ({ repairs: "on" }),
    );

    const actions = new Set(statements.flatMap(([allowed]) => allowed));
    expect([...actions].toSorted()).toEqual(
      [...statusActions, ...repairActions, stackEventsAction].toSorted(),
    );
  });

  it("the doctor may read what the command reads, and write nothing", () => {
    const statements = granted((its, role) => its.grantDoctor(role));

    expect(statements).toContainEqual([
      ["iam:SimulatePrincipalPolicy"],
      ["LifecycleNodeRole.Arn", "LifecycleHooksRole.Arn"],
    ]);
    const actions = statements.flatMap(([allowed]) => allowed);
    expect([...new Set(actions)].toSorted()).toEqual(
      [...doctorActions, blockInstancesAction, stackEventsAction].toSorted(),
    );
  });

  it("the doctor of a deployment that upgrades may also read how the upgrade function is set up", () => {
    const statements = granted(
      (its, role) => its.grantDoctor(role),
      () => ({ upgrades: "on" }),
    );

    expect(statements).toContainEqual([
      ["lambda:GetFunctionConfiguration"],
      ["LifecycleUpgradesUpgradeFunction.Arn"],
    ]);
  });

  it("to upgrade may tell the upgrade function what is wanted, and read what the command reads", () => {
    const statements = granted(
      (its, role) => its.grantUpgrade(role),
      () => ({ upgrades: "on" }),
    );

    expect(statements).toContainEqual([
      ["sqs:SendMessage"],
      ["LifecycleUpgradesCommandsQueue.Arn"],
    ]);
    expect(statements).toContainEqual([
      ["logs:FilterLogEvents"],
      ["LifecycleUpgradesUpgradeLogs.Arn"],
    ]);
    const actions = statements.flatMap(([allowed]) => allowed);
    expect(actions.toSorted()).toEqual(upgradeActions.toSorted());
  });

  it("cannot be granted to upgrade where there are no upgrades", () => {
    expect(() => granted((its, role) => its.grantUpgrade(role))).toThrow(
      'Own/Lifecycle has no upgrades that grantUpgrade could allow; set upgrades: "on"',
    );
  });

  it("to invoke may run the function on a saved event", () => {
    expect(granted((its, role) => its.grantInvoke(role))).toEqual([
      [["lambda:InvokeFunction"], ["LifecycleNodeFunction.Arn", "LifecycleNodeFunction.Arn:*"]],
    ]);
  });

  it("to read logs may read those of the function", () => {
    expect(granted((its, role) => its.grantReadLogs(role))).toEqual([
      [
        ["logs:DescribeLogStreams", "logs:FilterLogEvents", "logs:GetLogEvents"],
        ["LifecycleNodeLogs.Arn"],
      ],
    ]);
  });

  it("to stop may switch the event source mappings of all that evicts", () => {
    const [[actions, arns] = [[], []]] = granted(
      (its, role) => its.grantStop(role),
      () => ({ upgrades: "on", repairs: "on", launchTemplateIds: ["lt-0123456789abcdef0"] }),
    );
    expect(actions).toEqual(["lambda:GetEventSourceMapping", "lambda:UpdateEventSourceMapping"]);
    expect(arns).toHaveLength(3);
  });

  it("to stop may give a queue to none but the functions of the deployment", () => {
    const conditions = statementsOf(
      (its, role) => its.grantStop(role),
      () => ({ repairs: "on" }),
    ).map(({ Condition }) =>
      Object.entries(Object(Condition)).map(([operator, keys]) => [
        operator,
        Object.entries(Object(keys)).map(([key, arns]) => [key, namesIn(arns)]),
      ]),
    );
    const own = ["LifecycleNodeFunction.Arn", "LifecycleRepairsRepairFunction.Arn"];
    const arns = own.flatMap((arn) => [arn, `${arn}:*`]);
    expect(conditions).toEqual([[["ArnLikeIfExists", [["lambda:FunctionArn", arns]]]]]);
  });

  it("to stop the drainer may switch its event source mapping", () => {
    expect(granted((its, role) => its.grantStop(role))).toEqual([
      [
        ["lambda:GetEventSourceMapping", "lambda:UpdateEventSourceMapping"],
        [
          expect.stringMatching(
            /^arn:aws:lambda:eu-west-1:123456789012:event-source-mapping:.*LifecycleNodeMapping$/,
          ),
        ],
      ],
    ]);
  });
});

const alarmsIn = (template: Template) =>
  Object.values(resourcesOf(template)).filter(({ Type }) => Type === "AWS::CloudWatch::Alarm");

describe("the alarms", () => {
  const kinds = Object.keys(sample.alarms).filter((key) => key !== "topicArns");
  const everything: Partial<ClusterConfig> = {
    upgrades: "on",
    repairs: "on",
    webhook: sampleWebhook,
  };
  const all = alarmsIn(synthesised(everything)).length;

  it.each(kinds)("can be switched off: %s", (kind) => {
    const alarms: ClusterConfig["alarms"] = { ...sample.alarms, [kind]: "off" };
    // The functions of upgrades and of repairs have queues of their own.
    const less = kind === "deadLetters" || kind === "functionErrors" ? 3 : 1;
    expect(alarmsIn(synthesised({ ...everything, alarms }))).toHaveLength(all - less);
  });

  it("tell those who are to be told", () => {
    const { template } = ownStack((stack) => ({
      alarms: { actions: [new SnsAction(new Topic(stack, "Pager"))] },
    }));
    for (const { Properties } of alarmsIn(template))
      expect(Properties).toMatchObject({
        AlarmActions: [{ Ref: expect.stringContaining("Pager") as string }],
      });
    expect(JSON.stringify(alarmsIn(ownStack().template))).not.toContain("AlarmActions");
  });
});

it("the functions' security groups can be let in elsewhere, in the manner of CDK", () => {
  const { lifecycle } = ownLifecycle();
  expect(lifecycle.connections.securityGroups).toHaveLength(1);
});
