/** A notification as a topic sends it to its subscribers. */
export interface Notification {
  readonly messageId: string;
  readonly topicArn: string;
  /** Empty if the notification has none. */
  readonly subject: string;
  readonly message: string;
  /** As ISO 8601 in UTC, with milliseconds. */
  readonly timestamp: string;
}

const regionOf = (arn: string): string => arn.split(":")[3] ?? "";

const certificate = (topicArn: string): string =>
  `https://sns.${regionOf(topicArn)}.amazonaws.com/SimpleNotificationService-EXAMPLE.pem`;

const unsubscribe = (topicArn: string, subscriptionArn: string): string =>
  `https://sns.${regionOf(topicArn)}.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`;

/** A fixed text, because no receiver checks it: SQS and Lambda recognize SNS by other means. */
const signature =
  "EXAMPLEpH+DcEwjAPg8O9mY8dReBSwksfg2S7WKQcikcNKWLQjwu6A4VbeS0QHVCkhRS7fUQvi2egU3N858fiTDN6bk=";

/**
 * Writes a notification as a queue holds it: with a space before each colon.
 * An empty subject is left out.
 */
export function queueEnvelope(notification: Notification, subscriptionArn: string): string {
  const { messageId, topicArn, subject, message, timestamp } = notification;
  const fields: Readonly<Record<string, string>> = {
    Type: "Notification",
    MessageId: messageId,
    TopicArn: topicArn,
    ...(subject === "" ? {} : { Subject: subject }),
    Message: message,
    Timestamp: timestamp,
    SignatureVersion: "1",
    Signature: signature,
    SigningCertURL: certificate(topicArn),
    UnsubscribeURL: unsubscribe(topicArn, subscriptionArn),
  };
  const lines = Object.entries(fields).map(
    ([name, value]) => `  "${name}" : ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(",\n")}\n}`;
}

/** Writes a notification as the event that a subscribed function receives. */
export function functionEvent(notification: Notification, subscriptionArn: string): object {
  const { messageId, topicArn, subject, message, timestamp } = notification;
  const sns = {
    Type: "Notification",
    MessageId: messageId,
    TopicArn: topicArn,
    Subject: subject === "" ? null : subject,
    Message: message,
    Timestamp: timestamp,
    SignatureVersion: "1",
    Signature: signature,
    SigningCertUrl: certificate(topicArn),
    UnsubscribeUrl: unsubscribe(topicArn, subscriptionArn),
    MessageAttributes: {},
  };
  const record = {
    EventSource: "aws:sns",
    EventVersion: "1.0",
    EventSubscriptionArn: subscriptionArn,
    Sns: sns,
  };
  return { Records: [record] };
}
