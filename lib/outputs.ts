import { CfnOutput } from "aws-cdk-lib";
import type { OutputName, UpgradeOutputName } from "../lambda/contract.ts";
import type { LifecycleHooks } from "./notices/lifecycle-hooks.ts";
import type { NoticeTopic } from "./notices/notice-topic.ts";
import type { Operable } from "./operable.ts";

/** A deployment with everything that the outputs tell of. */
interface Deployed extends Operable {
  readonly topic: NoticeTopic;
  readonly hooks: LifecycleHooks;
}

/** Tells what the commands of the runbook need to know about a deployment. */
export function tellOutputs(lifecycle: Deployed): void {
  const { nodeFunction, queue, topic } = lifecycle;
  const values: Readonly<Record<Exclude<OutputName, UpgradeOutputName>, string>> = {
    FunctionName: nodeFunction.function.functionName,
    LogGroupName: nodeFunction.logGroup.logGroupName,
    MappingId: nodeFunction.mapping.eventSourceMappingId,
    QueueUrl: queue.queue.queueUrl,
    QueueArn: queue.queue.queueArn,
    DeadLettersUrl: queue.deadLetters.queueUrl,
    DeadLettersArn: queue.deadLetters.queueArn,
    TopicArn: topic.topic.topicArn,
    HooksRoleArn: lifecycle.hooks.role.roleArn,
  };
  for (const [id, value] of Object.entries(values)) new CfnOutput(lifecycle, id, { value });
}
