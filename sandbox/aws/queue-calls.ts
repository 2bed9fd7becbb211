import type {
  ChangeMessageVisibilityRequest,
  GetQueueAttributesRequest,
  MessageAttributeValue,
  ReceiveMessageRequest,
  SendMessageRequest,
} from "@aws-sdk/client-sqs";
import { type Duration, seconds } from "../../lambda/base/time.ts";
import type { Caller } from "./operation.ts";
import type { Queue } from "./queue.ts";
import { attributesDigest, bodyDigest, receivedMessage } from "./received-message.ts";
import { invalidCharacter, tooLarge } from "./sqs-errors.ts";

type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

const largest = 1_048_576;
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Refuses a message that is too large with its attributes, or has a character that SQS does not allow. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
function assertContent(body: string, attributes: MessageAttributes): void {
  assertCharacters(body, "message body");
  for (const [name, { StringValue: value = "" }] of Object.entries(attributes))
    assertCharacters(value, `message attribute '${name}'`);
  if (sizeOf(body, attributes) > largest) throw tooLarge(largest);
}

function assertCharacters(text: string, part: string): void {
  const [wrong] = forbidden.exec(text) ?? [];
  if (wrong !== undefined) throw invalidCharacter(wrong, part);
}

const sizeOf = (body: string, attributes: MessageAttributes): number =>
  Object.entries(attributes)
    .flatMap(([name, { DataType = "", StringValue = "", BinaryValue = "" }]) => [
      name,
      DataType,
      StringValue,
      BinaryValue,
    ])
    .reduce((sum, part) => sum + Buffer.byteLength(part), Buffer.byteLength(body));

const given = (value: number | undefined, usual: Duration): Duration =>
  value === undefined ? usual : seconds(value);

/** Answers ReceiveMessage. */
export async function receiveMessage(queue: Queue, input: ReceiveMessageRequest, { gone }: Caller) {
  const { visibility, receiveWait } = queue.settings;
  const messages = await queue.receive({
    max: input.MaxNumberOfMessages ?? 1,
    wait: given(input.WaitTimeSeconds, receiveWait),
    visibility: given(input.VisibilityTimeout, visibility),
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
  const message = queue.send(
    { body, attributes, senderId: principal, traceHeader: trace?.StringValue ?? "" },
    given(input.DelaySeconds, queue.settings.delay),
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
