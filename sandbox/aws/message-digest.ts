import { createHash } from "node:crypto";
import type { MessageAttributeValue } from "@aws-sdk/client-sqs";

/** The MD5 of a body. The SDK compares it with the body that it sent or received. */
export const bodyDigest = (body: string): string => createHash("md5").update(body).digest("hex");

/** The mark of a value that is text; nobody sends others. */
const text = Buffer.from([1]);

function sized(value: string): Buffer {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

function encoded([name, value]: readonly [string, MessageAttributeValue]): Buffer {
  const { DataType = "", StringValue = "" } = value;
  return Buffer.concat([sized(name), sized(DataType), text, sized(StringValue)]);
}

/** The MD5 of a message's attributes. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation */
export function attributesDigest(
  attributes: Readonly<Record<string, MessageAttributeValue>>,
): string {
  const sorted = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("md5")
    .update(Buffer.concat(sorted.map(encoded)))
    .digest("hex");
}
