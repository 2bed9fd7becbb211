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
  ReceiveMessage$,
  type ReceiveMessageRequest,
  SendMessage$,
  type SendMessageRequest,
} from "@aws-sdk/client-sqs";
import { type Duration, type Instant, wholeSeconds } from "../../lambda/base/time.ts";
import type { Aws } from "./aws.ts";
import { AwsError } from "./aws-error.ts";
import { moveOperations } from "./move-tasks.ts";
import {
  type Caller,
  type Operation,
  type OperationSchema,
  operation,
  operationName,
} from "./operation.ts";
import type { Queue, Redrive } from "./queue.ts";
import { changeVisibility, getAttributes, receiveMessage, sendMessage } from "./queue-calls.ts";
import { tooManyEntries } from "./sqs-errors.ts";

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

type Act<Input, Output> = (queue: Queue, input: Input, caller: Caller) => Output | Promise<Output>;

const changeBatch = (queue: Queue, { Entries = [] }: ChangeMessageVisibilityBatchRequest) =>
  inBatch(Entries, (entry) => changeVisibility(queue, entry));

/** The queues of an account, and what their attributes say besides. */
type SqsWorld = Pick<Aws, "records" | "sqs" | "timeline">;

/** The operations of SQS that the sandbox supports. */
export function sqsOperations({ sqs, timeline, records }: SqsWorld): readonly Operation[] {
  const onQueue = <Input extends OfQueue, Output>(
    schema: OperationSchema,
    act: Act<Input, Output>,
  ): Operation =>
    operation<Input, Output>(schema, {
      permissions: ({ QueueUrl = "" }) => [
        {
          action: `sqs:${operationName(schema).replace("Batch", "")}`,
          resource: sqs.findByUrl(QueueUrl).settings.arn,
        },
      ],
      run: (input, caller) => act(sqs.findByUrl(input.QueueUrl ?? ""), input, caller),
    });
  return [
    ...moveOperations(sqs.moves),
    onQueue<SendMessageRequest, object>(SendMessage$, sendMessage),
    onQueue<ReceiveMessageRequest, object>(ReceiveMessage$, receiveMessage),
    onQueue<DeleteMessageRequest, void>(DeleteMessage$, (queue, { ReceiptHandle = "" }) =>
      queue.delete(ReceiptHandle),
    ),
    onQueue<ChangeMessageVisibilityRequest, void>(ChangeMessageVisibility$, changeVisibility),
    onQueue<ChangeMessageVisibilityBatchRequest, object>(
      ChangeMessageVisibilityBatch$,
      changeBatch,
    ),
    onQueue<GetQueueAttributesRequest, object>(GetQueueAttributes$, (queue, input) =>
      getAttributes(input, {
        ...queueAttributes(queue, timeline.now()),
        ...records.queues.get(queue.settings.name),
      }),
    ),
  ];
}
