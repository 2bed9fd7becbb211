import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Received } from "../aws/sqs/message.ts";
import { bodyDigest } from "../aws/sqs/message-digest.ts";
import type { Queue } from "../aws/sqs/queue.ts";
import { systemAttributes } from "../aws/sqs/received-message.ts";

const attribute = ({ DataType, StringValue, BinaryValue }: MessageAttributeValue) => ({
  ...(StringValue === undefined ? {} : { stringValue: StringValue }),
  ...(BinaryValue === undefined
    ? {}
    : { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});

function record(received: Received, queueArn: string): object {
  const { message, receipt } = received;
  const attributes = Object.entries(message.attributes);
  return {
    messageId: message.id,
    receiptHandle: receipt,
    body: message.body,
    attributes: systemAttributes(received),
    messageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: bodyDigest(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3],
  };
}

/** Makes the event that a function gets for a batch of messages. @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const sqsEvent = (batch: readonly Received[], { settings }: Queue): object => ({
  Records: batch.map((received) => record(received, settings.arn)),
});
