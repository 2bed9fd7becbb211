import {
  type BatchResultErrorEntry,
  ChangeMessageVisibility$,
  ChangeMessageVisibilityBatch$,
  type ChangeMessageVisibilityBatchRequest,
  type ChangeMessageVisibilityRequest,
  DeleteMessage$,
  type DeleteMessageRequest,
  GetQueueAttributes$,
  type GetQueueAttributesRequest,
  type MessageAttributeValue,
  ReceiveMessage$,
  type ReceiveMessageRequest,
  SendMessage$,
  type SendMessageRequest,
} from "@aws-sdk/client-sqs";
import { type Duration, type Instant, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import type { Aws } from "./aws.ts";
import { AwsError } from "./aws-error.ts";
import { attributesDigest, bodyDigest, receivedMessage, wanted } from "./message.ts";
import { moveOperations } from "./move-tasks.ts";
import {
  type Caller,
  type Operation,
  type OperationSchema,
  operation,
  operationName,
} from "./operation.ts";
import type { Queue, Redrive } from "./queue.ts";
import { invalidCharacter, tooLarge, tooManyEntries } from "./sqs-errors.ts";

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
async function receiveMessage(queue: Queue, input: ReceiveMessageRequest, { gone }: Caller) {
  const { visibility, receiveWait } = queue.settings;
  const messages = await queue.receive({
    max: input.MaxNumberOfMessages ?? 1,
    wait: given(input.WaitTimeSeconds, receiveWait),
    visibility: given(input.VisibilityTimeout, visibility),
    gone,
  });
  const system = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
  const own = input.MessageAttributeNames ?? [];
  return messages.length === 0
    ? {}
    : { Messages: messages.map((message) => receivedMessage(message, { system, own })) };
}

/** Answers SendMessage. */
function sendMessage(queue: Queue, input: SendMessageRequest, { userId }: Caller) {
  const { MessageBody: body = "", MessageAttributes: attributes = {} } = input;
  assertContent(body, attributes);
  const { AWSTraceHeader: trace } = input.MessageSystemAttributes ?? {};
  const message = queue.send(
    { body, attributes, senderId: userId, traceHeader: trace?.StringValue ?? "" },
    given(input.DelaySeconds, queue.settings.delay),
  );
  const signed = Object.keys(attributes).length > 0;
  return {
    MessageId: message.id,
    MD5OfMessageBody: bodyDigest(body),
    ...(signed ? { MD5OfMessageAttributes: attributesDigest(attributes) } : {}),
  };
}

const text = (duration: Duration): string => String(wholeSeconds(duration));

const redriveOf = (redrive: Redrive): Record<string, string> => {
  if (redrive.kind === "none") return {};
  const { to, maxReceives } = redrive;
  const policy = { deadLetterTargetArn: to.settings.arn, maxReceiveCount: maxReceives };
  return { RedrivePolicy: JSON.stringify(policy) };
};

/** The attributes of a queue, as GetQueueAttributes names them. */
function queueAttributes(queue: Queue, now: Instant): Record<string, string> {
  const { settings, createdAt } = queue;
  const handlings = queue.contents().map(({ handling }) => handling);
  const invisible = handlings.filter(({ visibleAt }) => visibleAt > now);
  const delayed = invisible.filter(({ receives }) => receives === 0);
  const created = String(Math.floor(createdAt / 1000));
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(handlings.length - invisible.length),
    ApproximateNumberOfMessagesNotVisible: String(invisible.length - delayed.length),
    ApproximateNumberOfMessagesDelayed: String(delayed.length),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    VisibilityTimeout: text(settings.visibility),
    MaximumMessageSize: "1048576",
    MessageRetentionPeriod: text(settings.retention),
    DelaySeconds: text(settings.delay),
    ReceiveMessageWaitTimeSeconds: text(settings.receiveWait),
    SqsManagedSseEnabled: "true",
    ...redriveOf(settings.redrive),
  };
}

interface BatchEntry {
  readonly Id: string | undefined;
}

/** The result of each entry of a batch. */
interface BatchResult {
  readonly Successful: { readonly Id: string }[];
  readonly Failed: BatchResultErrorEntry[];
}

/** Runs an action for every entry of a batch. An entry that fails does not stop the others. */
function inBatch<T extends BatchEntry>(
  entries: readonly T[],
  act: (entry: T) => void,
): BatchResult {
  if (entries.length > 10) throw tooManyEntries(entries.length);
  const result: BatchResult = { Successful: [], Failed: [] };
  for (const entry of entries) {
    const Id = entry.Id ?? "";
    try {
      act(entry);
      result.Successful.push({ Id });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { code, message } = error;
      result.Failed.push({ Id, Code: code, Message: message, SenderFault: true });
    }
  }
  return result;
}

interface OfQueue {
  readonly QueueUrl?: string | undefined;
}

/** Changes the visibility timeout of one message. */
const changeVisibility = (queue: Queue, entry: Partial<ChangeMessageVisibilityRequest>): void =>
  queue.changeVisibility(entry.ReceiptHandle ?? "", seconds(entry.VisibilityTimeout ?? 0));

const changeBatch = (queue: Queue, { Entries = [] }: ChangeMessageVisibilityBatchRequest) =>
  inBatch(Entries, (entry) => changeVisibility(queue, entry));

/** The queues of an account, and what their attributes say besides. */
type SqsWorld = Pick<Aws, "records" | "sqs" | "timeline">;

/** The operations of SQS that the sandbox supports. */
export function sqsOperations({ sqs, timeline, records }: SqsWorld): readonly Operation[] {
  const onQueue = <Input extends OfQueue>(
    schema: OperationSchema,
    act: (queue: Queue, input: Input, caller: Caller) => unknown,
  ): Operation =>
    operation<Input>(
      "sqs",
      schema,
      (input, caller) => act(sqs.findByUrl(input.QueueUrl ?? ""), input, caller),
      ({ QueueUrl = "" }) => ({
        action: `sqs:${operationName(schema).replace("Batch", "")}`,
        resource: sqs.findByUrl(QueueUrl).settings.arn,
      }),
    );
  return [
    ...moveOperations(sqs.moves),
    onQueue<SendMessageRequest>(SendMessage$, sendMessage),
    onQueue<ReceiveMessageRequest>(ReceiveMessage$, receiveMessage),
    onQueue<DeleteMessageRequest>(DeleteMessage$, (queue, { ReceiptHandle = "" }) =>
      queue.delete(ReceiptHandle),
    ),
    onQueue<ChangeMessageVisibilityRequest>(ChangeMessageVisibility$, changeVisibility),
    onQueue<ChangeMessageVisibilityBatchRequest>(ChangeMessageVisibilityBatch$, changeBatch),
    onQueue<GetQueueAttributesRequest>(
      GetQueueAttributes$,
      (queue, { AttributeNames: names = [] }) => {
        const own = queueAttributes(queue, timeline.now());
        const all = { ...own, ...records.queues.get(queue.settings.name) };
        return { Attributes: wanted(all, names) };
      },
    ),
  ];
}
