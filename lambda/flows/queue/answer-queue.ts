import type { Notice } from "../../domain/notice/notice.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import { noticeTitle } from "../../domain/notice/title.ts";
import { type Duration, milliseconds, minutes, seconds, shortest } from "../../domain/time.ts";
import { Fault, faultOf } from "../../fault.ts";
import type { Inbox, Letter } from "../../ports/inbox.ts";
import type { Journal } from "../../ports/journal.ts";
import { faultEntry } from "../fault-entry.ts";
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

async function pass(queued: Queued, desk: Desk): Promise<Answer> {
  const { journal, work } = desk;
  const { noticed, receiveCount: receives } = queued;
  if (noticed instanceof Fault) throw noticed;
  const title = noticeTitle(noticed);
  journal.record({ kind: "pass-started", notice: title, receives });
  const result = await work({ notice: noticed, receives });
  if (result.kind === "done") {
    journal.record({ kind: "notice-done", notice: title, outcome: result.outcome });
    return "done";
  }
  return rest(queued, result.wait, desk);
}

function failed(queued: Queued, fault: Fault, desk: Desk): Promise<Answer> {
  desk.journal.record(faultEntry(fault));
  return fault.retryable
    ? rest(queued, restAfter(fault, queued.receiveCount), desk)
    : bury(queued, fault.message, desk);
}

async function rest(queued: Queued, wait: Duration, desk: Desk): Promise<Answer> {
  await unlessRefused(desk.inbox.postpone(queued, wait), desk);
  return "not done";
}

async function bury(queued: Queued, reason: string, desk: Desk): Promise<Answer> {
  const buried = await unlessRefused(desk.inbox.bury(queued, reason), desk);
  return buried ? "done" : "not done";
}

/** Tells of a queue that does not do as it is asked: the message comes back when its visibility timeout ends. */
async function unlessRefused(asked: Promise<void>, desk: Desk): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (cause) {
    desk.journal.record({ ...faultEntry(cause), retryable: true });
    return false;
  }
}

// 5, 10, 20, 40, 80, 160, then 180 seconds, unless something runs out before.
const restAfter = ({ retryWithin }: Fault, receives: number): Duration =>
  shortest(minutes(3), milliseconds(retryWithin), seconds(5 * 2 ** Math.min(receives - 1, 6)));
