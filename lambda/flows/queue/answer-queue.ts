import { type Duration, milliseconds, minutes, seconds, shortest } from "../../domain/time.ts";
import { Fault, faultOf } from "../../fault.ts";
import type { QueueDelivery } from "../../ports/delivery.ts";
import type { Inbox, QueueMessage } from "../../ports/inbox.ts";
import { faultEntry } from "../fault-entry.ts";
import { journalOf } from "./journal-of.ts";
import { type PassTools, runPass } from "./run-pass.ts";

/** The answer to Lambda's event source mapping: the messages that are not done. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** What the work on a batch of the queue needs. */
export interface AnswerQueueTools<T, O> extends PassTools<T, O> {
  readonly inbox: Inbox;
}

/**
 * Works on a batch of the queue, one pass for each message, side by side.
 *
 * A message that is not done rests until its next pass. A message that can never be done goes to the dead-letter queue.
 */
export async function answerQueue<T, O>(
  batch: readonly QueueDelivery<T>[],
  tools: AnswerQueueTools<T, O>,
): Promise<BatchResponse> {
  const answers = await Promise.all(
    batch.map(async (queued) => {
      const journal = journalOf(queued, tools);
      return { queued, answer: await answerOne(queued, { ...tools, journal }) };
    }),
  );
  const open = answers.filter(({ answer }) => answer === "not done");
  return { batchItemFailures: open.map(({ queued }) => ({ itemIdentifier: queued.messageId })) };
}

type Answer = "done" | "not done";

async function answerOne<T, O>(
  queued: QueueDelivery<T>,
  tools: AnswerQueueTools<T, O>,
): Promise<Answer> {
  try {
    const { content, receiveCount: receives } = queued;
    if (content instanceof Fault) throw content;
    const pass = await runPass({ content, receives }, tools);
    return "wait" in pass ? await rest(queued, pass.wait, tools) : "done";
  } catch (cause) {
    return failed(queued, faultOf(cause), tools);
  }
}

/** The queue, and the journal of what went wrong. */
type QueueTools = Pick<AnswerQueueTools<never, never>, "inbox" | "journal">;

function failed<T>(queued: QueueDelivery<T>, fault: Fault, tools: QueueTools): Promise<Answer> {
  tools.journal.record(faultEntry(fault));
  return fault.retryable
    ? rest(queued, restAfter(fault, queued.receiveCount), tools)
    : deadLetter(queued, fault.message, tools);
}

async function rest(queued: QueueMessage, wait: Duration, tools: QueueTools): Promise<Answer> {
  await attempt(tools.inbox.postpone(queued, wait), tools);
  return "not done";
}

function deadLetter(queued: QueueMessage, reason: string, tools: QueueTools): Promise<Answer> {
  return attempt(tools.inbox.deadLetter(queued, reason), tools);
}

/** Waits for a call of the queue. If the call fails, the message comes back when its visibility timeout ends. */
async function attempt(call: Promise<void>, { journal }: QueueTools): Promise<Answer> {
  try {
    await call;
    return "done";
  } catch (cause) {
    journal.record({ ...faultEntry(cause), retryable: true });
    return "not done";
  }
}

// 5, 10, 20, 40, 80, 160, then 180 seconds, or less if the work has to be retried sooner.
const restAfter = ({ retryWithin }: Fault, receives: number): Duration =>
  shortest(minutes(3), milliseconds(retryWithin), seconds(5 * 2 ** Math.min(receives - 1, 6)));
