import type { Notice } from "../domain/notice.ts";
import { noticeTitle } from "../domain/notice-title.ts";
import type { Pass } from "../domain/outcome.ts";
import { type Duration, minutes, seconds, shortest } from "../domain/time.ts";
import { Fault, faultOf } from "../fault.ts";
import type { Inbox, Journal, Letter } from "../ports.ts";
import type { Received } from "./work-on-notice.ts";

/** What Lambda's event source mapping is told: these messages are not done. */
export interface BatchResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** A message of the queue, with the notice in it or what is wrong with it. */
export interface Queued extends Letter {
  readonly receiveCount: number;
  readonly noticed: Notice | Fault;
}

/** How messages of the queue are worked on. */
export interface Desk {
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly work: (received: Received) => Promise<Pass>;
}

/**
 * Works on a batch of the queue, one pass for each message, side by side.
 *
 * A message that is not done rests until its next pass; one that never can be is buried, so that it is looked at.
 */
export async function answerQueue(batch: readonly Queued[], desk: Desk): Promise<BatchResult> {
  const answers = await Promise.all(
    batch.map(async (queued) => ({ queued, answer: await answerOne(queued, desk) })),
  );
  const open = answers.filter(({ answer }) => answer === "not done");
  return { batchItemFailures: open.map(({ queued }) => ({ itemIdentifier: queued.messageId })) };
}

type Answer = "done" | "not done";

async function answerOne(queued: Queued, desk: Desk): Promise<Answer> {
  try {
    return await pass(queued, desk);
  } catch (cause) {
    return failed(queued, faultOf(cause), desk);
  }
}

async function pass(queued: Queued, { inbox, journal, work }: Desk): Promise<Answer> {
  const { noticed, receiveCount: receives } = queued;
  if (noticed instanceof Fault) throw noticed;
  const title = noticeTitle(noticed);
  journal.record({ kind: "pass-started", notice: title, receives });
  const result = await work({ notice: noticed, receives });
  if (result.kind === "done") {
    journal.record({ kind: "notice-done", notice: title, outcome: result.outcome });
    return "done";
  }
  await inbox.postpone(queued, result.wait);
  return "not done";
}

async function failed(queued: Queued, fault: Fault, { inbox, journal }: Desk): Promise<Answer> {
  const { code, message, retryable } = fault;
  journal.record({ kind: "fault", code, message, retryable });
  try {
    if (retryable) await inbox.postpone(queued, restAfterFault(queued.receiveCount));
    else await inbox.bury(queued, message);
    return retryable ? "not done" : "done";
  } catch (cause) {
    // It comes back by itself when its visibility timeout ends.
    const further = faultOf(cause);
    journal.record({
      kind: "fault",
      code: further.code,
      message: further.message,
      retryable: true,
    });
    return "not done";
  }
}

// 5, 10, 20, 40, 80, 160, then 180 seconds.
const restAfterFault = (receives: number): Duration =>
  shortest(minutes(3), seconds(5 * 2 ** Math.min(receives - 1, 6)));
