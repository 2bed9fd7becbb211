import type {
  ChangeMessageVisibilityRequest,
  GetQueueAttributesRequest,
  MessageAttributeValue,
  ReceiveMessageRequest,
  SendMessageRequest,
} from "@aws-sdk/client-sqs";
import { type Duration, seconds } from "../../lambda/base/time.ts";
import { attributesDigest, bodyDigest } from "./message-digest.ts";
import type { Caller } from "./operation.ts";
import type { Queue } from "./queue.ts";
import { receivedMessage } from "./received-message.ts";
import { invalidCharacter, invalidValue, tooLarge } from "./sqs-errors.ts";

type Attributes = Readonly<Record<string, MessageAttributeValue>>;

const largest = 1_048_576;
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Refuses a message that is too large with its attributes, or has a character that SQS does not allow. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
function assertContent(body: string, attributes: Attributes): void {
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

interface Range {
  readonly name: string;
  readonly least: number;
  readonly most: number;
}

function inRange(value: number | undefined, usual: number, { name, least, most }: Range): number {
  const given = value ?? usual;
  if (given >= least && given <= most) return given;
  throw invalidValue(name, given, `Must be >= ${least} and <= ${most}, if provided.`);
}

const span = (value: number | undefined, usual: Duration, range: Range): Duration =>
  value === undefined ? usual : seconds(inRange(value, 0, range));

/** Answers ReceiveMessage. */
export async function receiveMessage(queue: Queue, input: ReceiveMessageRequest, { gone }: Caller) {
  const { visibility, receiveWait } = queue.settings;
  const waitRange = { name: "WaitTimeSeconds", least: 0, most: 20 };
  const messages = await queue.receive({
    max: inRange(input.MaxNumberOfMessages, 1, { name: "MaxNumberOfMessages", least: 1, most: 10 }),
    wait: span(input.WaitTimeSeconds, receiveWait, waitRange),
    visibility: span(input.VisibilityTimeout, visibility, {
      name: "VisibilityTimeout",
      least: 0,
      most: 43_200,
    }),
    gone,
  });
  const system = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
  const wanted = { system, own: input.MessageAttributeNames ?? [] };
  return messages.length > 0
    ? { Messages: messages.map((message) => receivedMessage(message, wanted)) }
    : {};
}

/** Answers SendMessage. */
export function sendMessage(queue: Queue, input: SendMessageRequest, { principal }: Caller) {
  const { MessageBody: body = "", MessageAttributes: attributes = {} } = input;
  assertContent(body, attributes);
  const { AWSTraceHeader: trace } = input.MessageSystemAttributes ?? {};
  const delayRange = { name: "DelaySeconds", least: 0, most: 900 };
  const message = queue.send(
    { body, attributes, senderId: principal, traceHeader: trace?.StringValue ?? "" },
    span(input.DelaySeconds, queue.settings.delay, delayRange),
  );
  const signed = Object.keys(attributes).length > 0;
  return {
    MessageId: message.id,
    MD5OfMessageBody: bodyDigest(body),
    ...(signed ? { MD5OfMessageAttributes: attributesDigest(attributes) } : {}),
  };
}

/** Changes the visibility timeout of one message. */
export const changeVisibility = (
  queue: Queue,
  entry: Partial<ChangeMessageVisibilityRequest>,
): void => queue.changeVisibility(entry.ReceiptHandle ?? "", seconds(entry.VisibilityTimeout ?? 0));

/** Answers GetQueueAttributes. */
export function getAttributes(
  request: GetQueueAttributesRequest,
  attributes: Readonly<Record<string, string>>,
) {
  const names: readonly string[] = request.AttributeNames ?? [];
  const all = Object.entries(attributes);
  const wanted = all.filter(([name]) => names.includes("All") || names.includes(name));
  return { Attributes: Object.fromEntries(wanted) };
}
