import {
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
import type { Aws } from "../aws.ts";
import {
  type Caller,
  type Operation,
  type OperationSchema,
  operation,
  operationName,
} from "../operation.ts";
import { inBatch } from "./batch.ts";
import { moveOperations } from "./move-calls.ts";
import type { Queue } from "./queue.ts";
import { queueAttributes } from "./queue-attributes.ts";
import { changeVisibility, getAttributes, receiveMessage, sendMessage } from "./queue-calls.ts";

interface OfQueue {
  readonly QueueUrl?: string | undefined;
}

type Act<Input, Output> = (queue: Queue, input: Input, caller: Caller) => Output | Promise<Output>;

const changeBatch = (queue: Queue, { Entries = [] }: ChangeMessageVisibilityBatchRequest) =>
  inBatch(Entries, "ChangeMessageVisibilityBatchRequestEntry", (entry) =>
    changeVisibility(queue, entry),
  );

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
