import { CfnOutput } from "aws-cdk-lib";
import { type OutputName, type OwnOutputName, productVersion } from "../lambda/base/contract.ts";
import type { Operable } from "./operable.ts";

/** Tells what the commands of the runbook need to know about a deployment. */
export function tellOutputs(lifecycle: Operable): void {
  const { nodeFunction, queue, topic } = lifecycle;
  const values: Readonly<
    Record<Exclude<OutputName, `${"Repair" | "Upgrade"}${OwnOutputName}`>, string>
  > = {
    FunctionName: nodeFunction.function.functionName,
    LogGroupName: nodeFunction.logGroup.logGroupName,
    MappingId: nodeFunction.mapping.eventSourceMappingId,
    QueueUrl: queue.queue.queueUrl,
    QueueArn: queue.queue.queueArn,
    DeadLettersUrl: queue.deadLetters.queueUrl,
    DeadLettersArn: queue.deadLetters.queueArn,
    TopicArn: topic.topic.topicArn,
    HooksRoleArn: lifecycle.hooks.role.roleArn,
    Version: productVersion,
  };
  for (const [id, value] of Object.entries(values)) new CfnOutput(lifecycle, id, { value });
}
