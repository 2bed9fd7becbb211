import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import {
  type Duration,
  type Instant,
  later,
  longest,
  milliseconds,
  never,
  seconds,
  shortest,
} from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import { answerQueue, type BatchResponse, leastPass } from "./answer-queue.flow.ts";
import { vouchesFor } from "./deliveries.ts";
import type { AnyEntry } from "./entry.ts";
import type { Journal } from "./journal.port.ts";
import { faultEntry, journalOf } from "./journal-of.flow.ts";
import type { PassEntry } from "./pass-entry.ts";
import type { Delivery, DirectDelivery, Inbox } from "./queue.port.ts";
import type { QueueWork } from "./queue-work.flow.ts";
import { type PassTools, runPass } from "./run-pass.flow.ts";

/** The parts of a function that a queue drives. */
export interface QueueFunction<T, O, E extends AnyEntry> {
  /** Reads the messages in an event of Lambda. */
  readonly read: (event: unknown) => readonly Delivery<T>[];
  readonly work: QueueWork<T, O, E>;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly journal: Journal<NoInfer<E> | PassEntry>;
  /** Waits a moment until the clock has learned the time from a server. */
  timeKnown(): Promise<void>;
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
export function queueHandler<T, O, E extends AnyEntry>(
  made: QueueFunction<T, O, E>,
): QueueHandler<O> {
  return async (event, context) => {
    try {
      const arrived = made.read(event);
      if (!arrived.some((one) => vouchesFor(made.clock.now(), one))) await made.timeKnown();
      const invocation = milliseconds(context.getRemainingTimeInMillis());
      return await answer(arrived, invocation, made);
    } finally {
      await made.work.settled();
    }
  };
}

// A pass that is over still waits for an answer of the API server, for 40 seconds at most.
const afterPass = seconds(45);

async function answer<T, O, E extends AnyEntry>(
  arrived: readonly Delivery<T>[],
  invocation: Duration,
  made: QueueFunction<T, O, E>,
): Promise<BatchResponse | DirectResponse<O>> {
  const remaining = milliseconds(invocation - afterPass);
  const pass = shortest(made.work.pass, longest(leastPass, remaining));
  const queued = arrived.filter((delivery) => delivery.via === "queue");
  const lastEnd = later(made.clock.now(), remaining);
  if (queued.length > 0) return answerQueue(queued, { ...made, pass, invocation, lastEnd });
  const direct = arrived.filter((delivery) => delivery.via === "direct");
  const lastStart = later(lastEnd, milliseconds(-pass));
  const tools = { ...made, pass, lastStart };
  return { outcomes: await Promise.all(direct.map((one) => answerDirect(one, tools))) };
}

/** The tools for the work on a direct delivery. */
export interface AnswerDirectTools<T, O, E extends AnyEntry> extends PassTools<T, O, E> {
  readonly clock: Clock;
  /** No pass starts after this. */
  readonly lastStart: Instant;
}

/** The end of the work on a message; `unfinished` when the invocation's time was up first. */
export type DirectOutcome<O> = O | { readonly kind: "unfinished" };

/** Does passes until a message is done or the time is up; records a fault, and throws it. */
async function answerDirect<T, O, E extends AnyEntry>(
  delivery: DirectDelivery<T>,
  tools: AnswerDirectTools<T, O, E>,
): Promise<DirectOutcome<O>> {
  const { content } = delivery;
  const journal = journalOf(delivery, tools);
  try {
    if (content instanceof Fault) throw content;
    return await runPasses(content, { ...tools, journal });
  } catch (cause) {
    journal.record(faultEntry(cause));
    throw cause;
  }
}

async function runPasses<T, O, E extends AnyEntry>(
  content: T,
  tools: AnswerDirectTools<T, O, E>,
): Promise<DirectOutcome<O>> {
  const { clock, lastStart } = tools;
  const firstReceived = clock.now();
  for (let receives = 1; ; receives += 1) {
    const pass = await runPass({ content, receives, firstReceived }, tools);
    if ("outcome" in pass) return pass.outcome;
    const next = "wait" in pass ? later(clock.now(), pass.wait) : never;
    if (next > lastStart) return { kind: "unfinished" };
    await clock.sleep(next, new Wakeup());
  }
}
