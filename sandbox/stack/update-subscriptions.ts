import type { Subscriber } from "../aws/sns.ts";
import type { Stack } from "./stack-policies.ts";
import { properties } from "./template-schema.ts";

/** An update of a stack, and how it ends. */
export interface StackUpdate {
  readonly from: Stack;
  readonly to: Stack;
  readonly ends: "done" | "rolled back";
}

/**
 * Updates the subscriptions of a stack. CloudFormation makes those with new logical ids, and then deletes by their ARNs those
 * whose ids are gone; or, if the update is rolled back, those that it has made.
 */
export function updateSubscriptions({ from, to, ends }: StackUpdate): void {
  const { sns } = to.aws;
  const [before, after] = [subscriptionsOf(from), subscriptionsOf(to)];
  const isIn = (all: readonly Subscription[], { id }: Subscription) =>
    all.some((one) => one.id === id);
  const gone = before
    .filter((one) => !isIn(after, one))
    .flatMap(({ topic, subscriber }) => sns.trySubscription(topic, subscriber) ?? []);
  const made = after
    .filter((one) => !isIn(before, one))
    .map(({ topic, subscriber }) => sns.subscribe(topic, subscriber));
  for (const arn of ends === "done" ? gone : made) sns.unsubscribe(arn);
}

interface Subscription {
  readonly id: string;
  /** The ARN of the topic. */
  readonly topic: string;
  readonly subscriber: Subscriber;
}

const subscriptionsOf = ({ aws, resources, names }: Stack): readonly Subscription[] =>
  resources.of("AWS::SNS::Subscription", properties.subscription).map(({ id, its }) => ({
    id,
    topic: names.text(its.TopicArn),
    subscriber: {
      kind: "queue",
      queue: aws.sqs.findQueue(names.idOf(its.Endpoint)),
      delivery: its.RawMessageDelivery ? "raw" : "enveloped",
    },
  }));
