import {
  type Duration,
  later,
  longest,
  milliseconds,
  seconds,
  shortest,
} from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Delivery } from "../../ports/delivery.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { Journal } from "../../ports/journal.ts";
import { answerDirect, type DirectOutcome } from "./answer-direct.ts";
import { answerQueue, type BatchResponse } from "./answer-queue.ts";
import type { QueueWork } from "./queue-work.ts";

/** What a function of a queue is made of. */
export interface QueueFunction<T, O> {
  /** Reads an event of Lambda into the messages that are in it. */
  readonly read: (event: unknown) => readonly Delivery<T>[];
  readonly work: QueueWork<T, O>;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** What Lambda tells an invocation of itself, as far as a function of a queue asks. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

/** What became of messages that came by no queue. */
export interface DirectResponse<O> {
  readonly outcomes: readonly DirectOutcome<O>[];
}

/** What Lambda calls for every event of a function. */
export type QueueHandler<O> = (
  event: unknown,
  context: LambdaContext,
) => Promise<BatchResponse | DirectResponse<O>>;

/** Answers a batch of the queue with what is not done, and messages that came by no queue with what became of them. */
export function queueHandler<T, O>(made: QueueFunction<T, O>): QueueHandler<O> {
  return async (event, context) => {
    const remaining = milliseconds(context.getRemainingTimeInMillis() - made.work.afterPass);
    return answer(made.read(event), remaining, made);
  };
}

const leastPass = seconds(1);

async function answer<T, O>(
  arrived: readonly Delivery<T>[],
  remaining: Duration,
  made: QueueFunction<T, O>,
): Promise<BatchResponse | DirectResponse<O>> {
  const pass = shortest(made.work.pass, longest(leastPass, remaining));
  const queued = arrived.filter((delivery) => delivery.via === "queue");
  if (queued.length > 0) return answerQueue(queued, { ...made, pass });
  const direct = arrived.filter((delivery) => delivery.via === "direct");
  const lastStart = later(made.clock.now(), milliseconds(remaining - pass));
  const tools = { ...made, pass, lastStart };
  return { outcomes: await Promise.all(direct.map((one) => answerDirect(one, tools))) };
}
