import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { invalidCharacter, tooLarge } from "./sqs-errors.ts";

type Attributes = Readonly<Record<string, MessageAttributeValue>>;

const largest = 1_048_576;
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Refuses a message that is too large with its attributes, or has a character that SQS does not allow. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export function assertContent(body: string, attributes: Attributes): void {
  assertCharacters(body, "message body");
  for (const [name, { StringValue: value = "" }] of Object.entries(attributes))
    assertCharacters(value, `message attribute '${name}'`);
  if (sizeOf(body, attributes) > largest) throw tooLarge(largest);
}

function assertCharacters(text: string, part: string): void {
  const [wrong] = forbidden.exec(text) ?? [];
  if (wrong !== undefined) throw invalidCharacter(wrong, part);
}

const sizeOf = (body: string, attributes: Attributes): number =>
  Object.entries(attributes)
    .flatMap(([name, { DataType = "", StringValue = "", BinaryValue = "" }]) => [
      name,
      DataType,
      StringValue,
      BinaryValue,
    ])
    .reduce((sum, part) => sum + Buffer.byteLength(part), Buffer.byteLength(body));
