import { randomUUID } from "node:crypto";
import {
  ListMessageMoveTasks$,
  type ListMessageMoveTasksRequest,
  StartMessageMoveTask$,
  type StartMessageMoveTaskRequest,
} from "@aws-sdk/client-sqs";
import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Operation, operation } from "./operation.ts";
import type { Queue } from "./queue.ts";
import { invalidValue, noSuchQueue } from "./sqs-errors.ts";

/** Where moved messages go: into one queue, or each back into the queue that it was received from. */
export type Destination =
  | { readonly kind: "queue"; readonly arn: string }
  | { readonly kind: "sources" };

/** How a move of messages has ended, if it has. */
export type MoveStatus =
  | { readonly kind: "RUNNING" }
  | { readonly kind: "COMPLETED" }
  | { readonly kind: "FAILED"; readonly reason: string };

/** One move of all messages out of a queue for dead letters. */
export interface MoveTask {
  readonly handle: string;
  readonly source: Queue;
  readonly destination: Destination;
  readonly startedAt: Instant;
  readonly status: MoveStatus;
  readonly moved: number;
  readonly toMove: number;
}

/** SQS moves messages in the background. */
const duration = seconds(1);

/** The moves of messages out of the queues of an account, newest first. */
export class MoveTasks {
  readonly #timeline: Timeline;
  readonly #queues: () => readonly Queue[];
  #tasks: readonly MoveTask[] = [];

  constructor(timeline: Timeline, queues: () => readonly Queue[]) {
    this.#timeline = timeline;
    this.#queues = queues;
  }

  of(arn: string): readonly MoveTask[] {
    const source = this.#source(arn);
    return this.#tasks.filter((task) => task.source === source);
  }

  start(arn: string, destination: Destination): MoveTask {
    if (destination.kind === "queue") this.#find(destination.arn);
    const source = this.#source(arn);
    const startedAt = this.#timeline.now();
    const status = { kind: "RUNNING" } as const;
    const counts = { moved: 0, toMove: source.visible().length };
    const task = { handle: randomUUID(), source, destination, startedAt, status, ...counts };
    this.#tasks = [task, ...this.#tasks];
    this.#timeline.schedule(later(startedAt, duration), () => this.#run(task));
    return task;
  }

  #run(task: MoveTask): void {
    const end = this.#moved(task);
    this.#tasks = this.#tasks.map((other) => (other === task ? { ...task, ...end } : other));
  }

  /** SQS stops at the first message of which it cannot tell where it belongs. */
  #moved({ source, destination }: MoveTask): Pick<MoveTask, "status" | "moved"> {
    let moved = 0;
    for (const handled of source.visible()) {
      const arn = destination.kind === "queue" ? destination.arn : handled.handling.deadLetterOf;
      const to = this.#tryFind(arn);
      if (to === undefined) return { status: lost, moved };
      source.move(handled, to);
      moved += 1;
    }
    return { status: { kind: "COMPLETED" }, moved };
  }

  #source(arn: string): Queue {
    const source = this.#find(arn);
    const isSource = ({ settings: { redrive } }: Queue): boolean =>
      redrive.kind === "dead-letters" && redrive.to === source;
    if (this.#queues().some(isSource)) return source;
    throw invalidValue("SourceArn", arn, "Source queue must be configured as a Dead Letter Queue.");
  }

  #find(arn: string): Queue {
    const queue = this.#tryFind(arn);
    if (queue === undefined) throw noSuchQueue();
    return queue;
  }

  #tryFind(arn: string): Queue | undefined {
    return this.#queues().find(({ settings }) => settings.arn === arn);
  }
}

const lost = { kind: "FAILED", reason: "CouldNotDetermineMessageSource" } as const;

/** The operations of SQS that move dead letters. */
export const moveOperations = (moves: MoveTasks): readonly Operation[] => [
  operation<StartMessageMoveTaskRequest>(
    "sqs",
    StartMessageMoveTask$,
    ({ SourceArn = "", DestinationArn }) => ({
      TaskHandle: moves.start(SourceArn, destinationOf(DestinationArn)).handle,
    }),
    ({ SourceArn: resource = "", DestinationArn: destination }) => [
      ...sourceActions.map((action) => ({ action, resource })),
      ...(destination ? [{ action: "sqs:SendMessage", resource: destination }] : []),
    ],
  ),
  operation<ListMessageMoveTasksRequest>(
    "sqs",
    ListMessageMoveTasks$,
    ({ SourceArn = "", MaxResults = 1 }) => ({
      Results: moves.of(SourceArn).slice(0, MaxResults).map(resultOf),
    }),
    ({ SourceArn = "" }) => SourceArn,
  ),
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
