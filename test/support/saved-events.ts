import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../events/", import.meta.url);

/** The names of everything that a replay takes, as in `events/`. */
export const replayable: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));

/** The names of the saved events that are notices. */
export const savedEvents: readonly string[] = replayable.filter(
  (name) => !name.endsWith("upgrade"),
);

/** The content of a saved event's file. */
export const savedEvent = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

/** The notice in a saved event, out of the SNS event around it if there is one. */
export function noticeIn(name: string): Json {
  const event = savedEvent(name) as Json & { Records?: { Sns: { Message: string } }[] };
  const [record] = event.Records ?? [];
  return record === undefined ? event : (JSON.parse(record.Sns.Message) as Json);
}

/** A JSON object. */
export type Json = Record<string, unknown>;

const topic = "arn:aws:sns:us-west-2:123456789012:my-cluster-lifecycle";

/** A record of the queue as Lambda hands it over. */
export const queueRecord = (body: string, messageId = "059f36b4-87a3-44ab-83d2-661975830a7d") => ({
  messageId,
  receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
  body,
  attributes: {
    ApproximateReceiveCount: "3",
    SentTimestamp: "1774236404000",
    SenderId: "AIDAIENQZJOLO23YVJ4VO",
    ApproximateFirstReceiveTimestamp: "1774236404001",
  },
  messageAttributes: {},
  md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:us-west-2:123456789012:my-cluster-notices",
  awsRegion: "us-west-2",
});

/** An SNS notification as a queue or an HTTP endpoint receives it. */
export const snsEnvelope = (message: string) => ({
  Type: "Notification",
  MessageId: "4a9f3fdc-a3e3-58db-b23b-61a4edd05553",
  TopicArn: topic,
  Message: message,
  Timestamp: "2026-03-23T03:26:43.936Z",
  SignatureVersion: "1",
  Signature: "EXAMPLE",
  SigningCertURL: "https://sns.us-west-2.amazonaws.com/SimpleNotificationService-EXAMPLE.pem",
  UnsubscribeURL: "https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe",
});

/** An SNS event as Lambda hands it over. */
export const snsEvent = (message: string) => ({
  Records: [
    {
      EventSource: "aws:sns",
      EventVersion: "1.0",
      EventSubscriptionArn: `${topic}:f4fdba36-a856-4dde-ad38-99aa1190c534`,
      Sns: {
        Type: "Notification",
        MessageId: "4a9f3fdc-a3e3-58db-b23b-61a4edd05553",
        TopicArn: topic,
        Subject: null,
        Message: message,
        Timestamp: "2026-03-23T03:26:43.936Z",
        SigningCertUrl: "https://sns.us-west-2.amazonaws.com/SimpleNotificationService-EXAMPLE.pem",
        MessageAttributes: {},
      },
    },
  ],
});

/** A kind of event that can carry a notice, and the path of the notice in it. */
export interface Carrier {
  readonly carry: (notice: unknown) => unknown;
  readonly path: string;
}

/** Every kind of event that can carry a notice. */
export const carriers: Readonly<Record<string, Carrier>> = {
  "a queue record with an SNS envelope": {
    carry: (notice) => ({
      Records: [queueRecord(JSON.stringify(snsEnvelope(JSON.stringify(notice))))],
    }),
    path: "Records[0].body.Message",
  },
  "a queue record with raw delivery": {
    carry: (notice) => ({ Records: [queueRecord(JSON.stringify(notice))] }),
    path: "Records[0].body",
  },
  "an SNS event": {
    carry: (notice) => snsEvent(JSON.stringify(notice)),
    path: "Records[0].Sns.Message",
  },
  "a bare notice": { carry: (notice) => notice, path: "" },
  "a bare SNS envelope": {
    carry: (notice) => snsEnvelope(JSON.stringify(notice)),
    path: "Message",
  },
};
