import { randomUUID } from "node:crypto";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import type { Queue } from "./queue.ts";

/** A notification as a topic sends it to its subscribers. */
interface Notification {
  readonly messageId: string;
  readonly topicArn: string;
  /** Empty if the notification has none. */
  readonly subject: string;
  readonly message: string;
  /** As ISO 8601 in UTC, with milliseconds. */
  readonly timestamp: string;
}

const regionOf = (arn: string): string => arn.split(":")[3] ?? "";

/** A fixed text, because no receiver checks it: SQS and Lambda recognize SNS by other means. */
const signature =
  "EXAMPLEpH+DcEwjAPg8O9mY8dReBSwksfg2S7WKQcikcNKWLQjwu6A4VbeS0QHVCkhRS7fUQvi2egU3N858fiTDN6bk=";

/** The fields that a notification has everywhere, and its two URLs. */
function written({ messageId, topicArn, subject, message, timestamp }: Notification, to: string) {
  const service = `https://sns.${regionOf(topicArn)}.amazonaws.com`;
  return {
    fields: {
      Type: "Notification",
      MessageId: messageId,
      TopicArn: topicArn,
      ...(subject === "" ? {} : { Subject: subject }),
      Message: message,
      Timestamp: timestamp,
      SignatureVersion: "1",
      Signature: signature,
    },
    certificate: `${service}/SimpleNotificationService-EXAMPLE.pem`,
    unsubscribe: `${service}/?Action=Unsubscribe&SubscriptionArn=${to}`,
  };
}

/**
 * Writes a notification as a queue holds it: with a space before each colon.
 * An empty subject is left out.
 */
function queueEnvelope(notification: Notification, subscriptionArn: string): string {
  const { fields, certificate, unsubscribe } = written(notification, subscriptionArn);
  const all = { ...fields, SigningCertURL: certificate, UnsubscribeURL: unsubscribe };
  const lines = Object.entries(all).map(
    ([name, value]) => `  "${name}" : ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(",\n")}\n}`;
}

/** Writes a notification as the event that a subscribed function receives. */
export function functionEvent(notification: Notification, subscriptionArn: string): object {
  const { fields, certificate, unsubscribe } = written(notification, subscriptionArn);
  const Sns = {
    Subject: null,
    ...fields,
    SigningCertUrl: certificate,
    UnsubscribeUrl: unsubscribe,
    MessageAttributes: {},
  };
  const subscription = { EventSubscriptionArn: subscriptionArn, Sns };
  return { Records: [{ EventSource: "aws:sns", EventVersion: "1.0", ...subscription }] };
}

/** A function or a queue that receives what is published to a topic. */
export type Subscriber =
  | { readonly kind: "function"; readonly invoke: (event: object) => void }
  | {
      readonly kind: "queue";
      readonly queue: Queue;
      readonly delivery: "enveloped" | "raw";
    };

/** The content of a notification that you publish. */
export interface Publication {
  /** Empty if there is none. */
  readonly subject: string;
  readonly message: string;
}

interface Subscription {
  readonly arn: string;
  readonly subscriber: Subscriber;
}

/** The sender id of every message that SNS puts into a queue. */
const sender = "AIDAIENQZJOLO23YVJ4VO";

function deliver(notification: Notification, { arn, subscriber }: Subscription): void {
  if (subscriber.kind === "function") {
    subscriber.invoke(functionEvent(notification, arn));
    return;
  }
  const raw = subscriber.delivery === "raw";
  const body = raw ? notification.message : queueEnvelope(notification, arn);
  subscriber.queue.send({ body, senderId: sender, attributes: {}, traceHeader: "" });
}

const isSame = (one: Subscriber, other: Subscriber): boolean =>
  one.kind === "queue" && other.kind === "queue" && one.queue === other.queue;

/** The topics of an account. A topic delivers each notification at once. */
export class Sns {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #topics = new Map<string, Subscription[]>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  /** Creates a topic and returns its ARN. */
  createTopic(name: string): string {
    const arn = arnOf(this.#account, "sns", name);
    this.#topics.set(arn, this.#topics.get(arn) ?? []);
    return arn;
  }

  hasTopic(arn: string): boolean {
    return this.#topics.has(arn);
  }

  /** Subscribes to a topic and returns the subscription's ARN: that of the first subscription, if the queue has one. */
  subscribe(topicArn: string, subscriber: Subscriber): string {
    const known = this.trySubscription(topicArn, subscriber);
    if (known !== undefined) return known;
    const arn = `${topicArn}:${randomUUID()}`;
    this.#subscriptions(topicArn).push({ arn, subscriber });
    return arn;
  }

  /** The ARN of a queue's subscription. */
  trySubscription(topicArn: string, subscriber: Subscriber): string | undefined {
    return this.#subscriptions(topicArn).find((one) => isSame(one.subscriber, subscriber))?.arn;
  }

  /** Ends a subscription, if it still exists. */
  unsubscribe(arn: string): void {
    for (const [topicArn, subscriptions] of this.#topics)
      this.#topics.set(
        topicArn,
        subscriptions.filter((one) => one.arn !== arn),
      );
  }

  /** Publishes to a topic and returns the id of the notification. */
  publish(topicArn: string, { subject, message }: Publication): string {
    const messageId = randomUUID();
    const timestamp = new Date(this.#timeline.now()).toISOString();
    for (const subscription of this.#subscriptions(topicArn))
      deliver({ messageId, topicArn, subject, message, timestamp }, subscription);
    return messageId;
  }

  #subscriptions(topicArn: string): Subscription[] {
    const subscriptions = this.#topics.get(topicArn);
    if (subscriptions === undefined)
      throw new AwsError("NotFound", "Topic does not exist", { status: 404 });
    return subscriptions;
  }
}
