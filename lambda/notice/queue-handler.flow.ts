import type { Clock } from "../base/clock.port.ts";
import { type Duration, later, longest, milliseconds, seconds, shortest } from "../base/time.ts";
import type { Journal } from "../registrations/process.port.ts";
import type { Delivery, Inbox } from "../registrations/queue.port.ts";
import { answerDirect, type DirectOutcome } from "./answer-direct.flow.ts";
import { answerQueue, type BatchResponse } from "./answer-queue.flow.ts";
import type { QueueWork } from "./queue-work.flow.ts";

/** What makes up a function that a queue drives. */
export interface QueueFunction<T, O> {
  /** Reads the messages in an event of Lambda. */
  readonly read: (event: unknown) => readonly Delivery<T>[];
  readonly work: QueueWork<T, O>;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** The part of an invocation's context that the handler uses. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

/** The answer to a saved event: how the work on each of its messages ended. */
export interface DirectResponse<O> {
  readonly outcomes: readonly DirectOutcome<O>[];
}

/** The function that Lambda calls with each event. */
export type QueueHandler<O> = (
  event: unknown,
  context: LambdaContext,
) => Promise<BatchResponse | DirectResponse<O>>;

/** Makes the handler of a function: it answers a batch of the queue, or a saved event that did not come from a queue. */
export function queueHandler<T, O>(made: QueueFunction<T, O>): QueueHandler<O> {
  return async (event, context) => {
    const invocation = milliseconds(context.getRemainingTimeInMillis());
    try {
      return await answer(made.read(event), invocation, made);
    } finally {
      await made.work.settled();
    }
  };
}

const leastPass = seconds(1);
// A pass that is over still waits for an answer of the API server, for 40 seconds at most.
const afterPass = seconds(45);

async function answer<T, O>(
  arrived: readonly Delivery<T>[],
  invocation: Duration,
  made: QueueFunction<T, O>,
): Promise<BatchResponse | DirectResponse<O>> {
  const remaining = milliseconds(invocation - afterPass);
  const pass = shortest(made.work.pass, longest(leastPass, remaining));
  const queued = arrived.filter((delivery) => delivery.via === "queue");
  if (queued.length > 0) return answerQueue(queued, { ...made, pass, invocation });
  const direct = arrived.filter((delivery) => delivery.via === "direct");
  const lastStart = later(made.clock.now(), milliseconds(remaining - pass));
  const tools = { ...made, pass, lastStart };
  return { outcomes: await Promise.all(direct.map((one) => answerDirect(one, tools))) };
}
