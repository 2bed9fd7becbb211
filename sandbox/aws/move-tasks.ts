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

/** One move of all messages out of a queue for dead letters. */
interface MoveTask {
  readonly handle: string;
  readonly source: Queue;
  /** The ARN of the queue that the messages go into; undefined if each goes back into the queue that it was received from. */
  readonly destination: string | undefined;
  readonly startedAt: Instant;
  readonly toMove: number;
  moved: number;
  status: "COMPLETED" | "FAILED" | "RUNNING";
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

  start(arn: string, destination: string | undefined): MoveTask {
    if (destination !== undefined) this.#find(destination);
    const source = this.#source(arn);
    const startedAt = this.#timeline.now();
    const toMove = source.visible().length;
    const handle = randomUUID();
    const task: MoveTask = {
      handle,
      source,
      destination,
      startedAt,
      toMove,
      moved: 0,
      status: "RUNNING",
    };
    this.#tasks = [task, ...this.#tasks];
    this.#timeline.schedule(later(startedAt, duration), () => this.#run(task));
    return task;
  }

  /** SQS stops at the first message of which it cannot tell where it belongs. */
  #run(task: MoveTask): void {
    task.status = "FAILED";
    for (const handled of task.source.visible()) {
      const to = this.#tryFind(task.destination ?? handled.handling.deadLetterOf);
      if (to === undefined) return;
      task.source.move(handled, to);
      task.moved += 1;
    }
    task.status = "COMPLETED";
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

/** The operations of SQS that move dead letters. */
export const moveOperations = (moves: MoveTasks): readonly Operation[] => [
  operation<StartMessageMoveTaskRequest>(
    "sqs",
    StartMessageMoveTask$,
    ({ SourceArn = "", DestinationArn }) => ({
      TaskHandle: moves.start(SourceArn, DestinationArn).handle,
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

/** Only a task that runs has a handle, because only such a task can be cancelled. */
const resultOf = ({ status, destination, source, ...task }: MoveTask): object => ({
  ...(status === "RUNNING" ? { TaskHandle: task.handle } : {}),
  Status: status,
  SourceArn: source.settings.arn,
  ...(destination === undefined ? {} : { DestinationArn: destination }),
  ApproximateNumberOfMessagesMoved: task.moved,
  ApproximateNumberOfMessagesToMove: task.toMove,
  ...(status === "FAILED" ? { FailureReason: "CouldNotDetermineMessageSource" } : {}),
  StartedTimestamp: task.startedAt,
});
