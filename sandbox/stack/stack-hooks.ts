import { seconds } from "../../lambda/base/time.ts";
import { AwsError } from "../aws/aws-error.ts";
import type { Stack } from "./stack-policies.ts";
import { properties } from "./template-schema.ts";

/** Whether a sender may use the key of an encrypted topic; anybody may publish to one without a key. */
function usesKey(
  { resources, names }: Pick<Stack, "names" | "resources">,
  topicArn: string,
  may: (action: string, resource: string) => boolean,
): boolean {
  const { its } = resources.one(
    "AWS::SNS::Topic",
    properties.topic,
    ({ id }) => names.arn(id) === topicArn,
  );
  const { KmsMasterKeyId: key } = its;
  const actions = ["kms:Decrypt", "kms:GenerateDataKey"];
  return key === undefined || actions.every((action) => may(action, names.text(key)));
}

/** Puts the lifecycle hooks. Auto Scaling sends a test message with the role of each hook, and refuses a hook whose role may not publish. */
export function putHooks(stack: Stack): void {
  const { aws, resources, names } = stack;
  for (const { its } of resources.of("AWS::AutoScaling::LifecycleHook", properties.hook)) {
    const targetArn = names.text(its.NotificationTargetARN);
    const roleArn = names.text(its.RoleARN);
    if (!mayPublish(stack, targetArn, roleArn))
      throw new AwsError(
        "ValidationError",
        `Unable to publish test message to notification target ${targetArn} using IAM role ${roleArn}. Please check your target and role configuration and try to put lifecycle hook again.`,
      );
    aws.autoScaling.putHook(names.text(its.AutoScalingGroupName), {
      name: its.LifecycleHookName,
      transition: its.LifecycleTransition,
      heartbeat: seconds(its.HeartbeatTimeout),
      defaultResult: its.DefaultResult,
      targetArn,
      roleArn,
    });
  }
}

function mayPublish(
  { resources, names, policies }: Stack,
  topicArn: string,
  roleArn: string,
): boolean {
  const role = roleArn.split("/").at(-1) ?? "";
  const context = {
    "aws:PrincipalArn": roleArn,
    "aws:PrincipalIsAWSService": "false",
    "aws:SecureTransport": "true",
  };
  const may = (action: string, resource: string) =>
    policies.permits(role, { by: roleArn, action, resource, context });
  const viaSns = { "kms:ViaService": `sns.${names.text({ Ref: "AWS::Region" })}.amazonaws.com` };
  const mayBySns = (action: string, resource: string) =>
    policies.permits(role, { by: roleArn, action, resource, context: viaSns });
  const publishing = { by: roleArn, action: "sns:Publish", resource: topicArn, context };
  return (
    usesKey({ resources, names }, topicArn, mayBySns) &&
    may("sns:Publish", topicArn) &&
    policies.ofResource(topicArn, publishing) !== "denied"
  );
}
