import type { Stack } from "./stack.ts";
import { properties } from "./template-schema.ts";

/** The topic, and whoever has subscribed to it and lets SNS in. */
export function createTopic({ aws, resources, names, policies }: Stack): string {
  const { id } = resources.one("AWS::SNS::Topic", properties.topic);
  const topicArn = aws.sns.createTopic(id);
  for (const { its } of resources.of("AWS::SNS::Subscription", properties.subscription)) {
    const queue = aws.sqs.tryFindByArn(names.text(its.Endpoint));
    if (queue === undefined || names.text(its.TopicArn) !== topicArn) continue;
    const { arn: resource, name } = queue.settings;
    const context = { "aws:SourceArn": topicArn, "aws:SecureTransport": "true" };
    const attempt = { by: "sns.amazonaws.com", action: "sqs:SendMessage", resource, context };
    const holder = names.text({ Ref: name });
    if (policies.ofResource(holder, attempt) !== "allowed") continue;
    const delivery = its.RawMessageDelivery ? "raw" : "enveloped";
    aws.sns.subscribe(topicArn, { kind: "queue", queue, delivery });
  }
  return topicArn;
}
