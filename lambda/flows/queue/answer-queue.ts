import type { Notice } from "../../domain/notice/notice.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import { noticeTitle } from "../../domain/notice/title.ts";
import { type Duration, milliseconds, minutes, seconds, shortest } from "../../domain/time.ts";
import { Fault, faultOf } from "../../fault.ts";
import type { Inbox, QueueMessage } from "../../ports/inbox.ts";
import type { Journal } from "../../ports/journal.ts";
import { faultEntry } from "../fault-entry.ts";
import type { Received } from "./work-on-notice.ts";

/** What Lambda's event source mapping is told: these messages are not done. */
export interface BatchResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** A message of the queue, with the notice in it or what is wrong with it. */
export interface QueuedNotice extends QueueMessage {
  readonly receiveCount: number;
  readonly noticed: Notice | Fault;
}

/** How messages of the queue are worked on. */
export interface AnswerQueueOptions {
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly work: (received: Received) => Promise<Pass>;
}

/**
 * Works on a batch of the queue, one pass for each message, side by side.
 *
 * A message that is not done rests until its next pass; one that never can be done goes to the dead letters, where people look.
 */
export async function answerQueue(
  batch: readonly QueuedNotice[],
  options: AnswerQueueOptions,
): Promise<BatchResult> {
  const answers = await Promise.all(
    batch.map(async (queued) => ({ queued, answer: await answerOne(queued, options) })),
  );
  const open = answers.filter(({ answer }) => answer === "not done");
  return { batchItemFailures: open.map(({ queued }) => ({ itemIdentifier: queued.messageId })) };
}

type Answer = "done" | "not done";

async function answerOne(queued: QueuedNotice, options: AnswerQueueOptions): Promise<Answer> {
  try {
    return await pass(queued, options);
  } catch (cause) {
    return failed(queued, faultOf(cause), options);
  }
}

async function pass(queued: QueuedNotice, options: AnswerQueueOptions): Promise<Answer> {
  const { journal, work } = options;
  const { noticed, receiveCount: receives } = queued;
  if (noticed instanceof Fault) throw noticed;
  const title = noticeTitle(noticed);
  journal.record({ kind: "pass-started", notice: title, receives });
  const result = await work({ notice: noticed, receives });
  if (result.kind === "done") {
    journal.record({ kind: "notice-done", notice: title, outcome: result.outcome });
    return "done";
  }
  return rest(queued, result.wait, options);
}

function failed(queued: QueuedNotice, fault: Fault, options: AnswerQueueOptions): Promise<Answer> {
  options.journal.record(faultEntry(fault));
  return fault.retryable
    ? rest(queued, restAfter(fault, queued.receiveCount), options)
    : deadLetter(queued, fault.message, options);
}

async function rest(
  queued: QueuedNotice,
  wait: Duration,
  options: AnswerQueueOptions,
): Promise<Answer> {
  await unlessRefused(options.inbox.postpone(queued, wait), options);
  return "not done";
}

async function deadLetter(
  queued: QueuedNotice,
  reason: string,
  options: AnswerQueueOptions,
): Promise<Answer> {
  const deadLettered = await unlessRefused(options.inbox.deadLetter(queued, reason), options);
  return deadLettered ? "done" : "not done";
}

/** Tells of a queue that does not do as it is asked: the message comes back when its visibility timeout ends. */
async function unlessRefused(asked: Promise<void>, options: AnswerQueueOptions): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (cause) {
    options.journal.record({ ...faultEntry(cause), retryable: true });
    return false;
  }
}

// 5, 10, 20, 40, 80, 160, then 180 seconds, unless something runs out before.
const restAfter = ({ retryWithin }: Fault, receives: number): Duration =>
  shortest(minutes(3), milliseconds(retryWithin), seconds(5 * 2 ** Math.min(receives - 1, 6)));
