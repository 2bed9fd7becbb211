import {
  ListMessageMoveTasks$,
  type ListMessageMoveTasksRequest,
  StartMessageMoveTask$,
  type StartMessageMoveTaskRequest,
} from "@aws-sdk/client-sqs";
import { type Operation, operation } from "../operation.ts";
import type { Destination, MoveTask, MoveTasks } from "./move-tasks.ts";

/** The operations of SQS that move dead letters. */
export const moveOperations = (moves: MoveTasks): readonly Operation[] => [
  operation<StartMessageMoveTaskRequest, object>(StartMessageMoveTask$, {
    permissions: ({ SourceArn: source = "", DestinationArn: destination }) => [
      ...sourceActions.map((action) => ({ action, resource: source })),
      ...(destination ? [{ action: "sqs:SendMessage", resource: destination }] : []),
    ],
    run: ({ SourceArn = "", DestinationArn }) => ({
      TaskHandle: moves.start(SourceArn, destinationOf(DestinationArn)).handle,
    }),
  }),
  operation<ListMessageMoveTasksRequest, object>(ListMessageMoveTasks$, {
    permissions: ({ SourceArn: resource = "" }) => [
      { action: "sqs:ListMessageMoveTasks", resource },
    ],
    run: ({ SourceArn = "", MaxResults = 1 }) => ({
      Results: moves.of(SourceArn).slice(0, MaxResults).map(resultOf),
    }),
  }),
];

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
const sourceActions = [
  "sqs:StartMessageMoveTask",
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:GetQueueAttributes",
];

const destinationOf = (arn: string | undefined): Destination =>
  arn === undefined ? { kind: "sources" } : { kind: "queue", arn };

/** Only a task that runs has a handle, because only such a task can be cancelled. */
const resultOf = ({ status, destination, source, ...task }: MoveTask): object => ({
  ...(status.kind === "RUNNING" ? { TaskHandle: task.handle } : {}),
  Status: status.kind,
  SourceArn: source.settings.arn,
  ...(destination.kind === "queue" ? { DestinationArn: destination.arn } : {}),
  ApproximateNumberOfMessagesMoved: task.moved,
  ApproximateNumberOfMessagesToMove: task.toMove,
  ...(status.kind === "FAILED" ? { FailureReason: status.reason } : {}),
  StartedTimestamp: task.startedAt,
});
