import { type Clock, sleepFor } from "../base/clock.port.ts";
import { Fault, faultOf } from "../base/fault.ts";
import { type Duration, later, milliseconds, minutes, seconds, shortest } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { AnyEntry } from "./entry.ts";
import { faultEntry, journalOf } from "./journal-of.flow.ts";
import type { Inbox, QueueDelivery, QueueMessage } from "./queue.port.ts";
import type { QueueWork } from "./queue-work.flow.ts";
import { receivesOfNotice, receptionOf, restOf } from "./renewal.ts";
import { type PassTools, runPass } from "./run-pass.flow.ts";

/** The answer to Lambda's event source mapping: the messages that are not done. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** The tools for the work on a batch of the queue. */
export interface AnswerQueueTools<T, O, E extends AnyEntry> extends PassTools<T, O, E> {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** When the invocation ends at the latest, from now. */
  readonly invocation: Duration;
}

/**
 * Works on a batch of the queue, one pass for each message, side by side.
 *
 * A message that is not done rests until its next pass. A message that can never be done goes to the dead-letter queue.
 * One on which the function crashes takes its neighbours with it, but only once: they come back apart.
 */
export async function answerQueue<T, O, E extends AnyEntry>(
  batch: readonly QueueDelivery<T>[],
  tools: AnswerQueueTools<T, O, E>,
): Promise<BatchResponse> {
  const kept = batch.map((queued, index) => keptHidden(queued, index, tools));
  const others = batch.filter((_, index) => kept[index] === undefined);
  await Promise.all([part(others, tools), ...kept.map((one) => one?.begun())]);
  const answers = await Promise.all(
    batch.map(async (queued, index) => {
      const journal = journalOf(queued, tools);
      return { queued, answer: await answerOne(queued, kept[index], { ...tools, journal }) };
    }),
  );
  const open = answers.filter(({ answer }) => answer === "not done");
  return { batchItemFailures: open.map(({ queued }) => ({ itemIdentifier: queued.messageId })) };
}

/** Hides a message that is to come back soon should the function die; each of a batch comes back at another moment. */
function keptHidden<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  index: number,
  tools: AnswerQueueTools<T, O, E>,
): Hidden | undefined {
  const { content } = queued;
  const within = content instanceof Fault ? "usual" : (tools.work.backWithin?.(content) ?? "usual");
  if (within === "usual") return undefined;
  const hide = (wait: Duration) => attempt(tools.inbox.postpone(queued, wait), tools);
  return hidden(hide, milliseconds(within + apart * (index % 3)), tools.clock);
}

const apart = seconds(2);

/** Lets messages that have been received before come back one by one, should the function crash. One that is new has not crashed it yet. */
async function part<T>(batch: readonly QueueDelivery<T>[], tools: PartTools): Promise<void> {
  if (batch.length === 1) return;
  const again = batch.filter(({ receives }) => receives.ofMessage > 1);
  await Promise.all(
    again.map((queued, index) => {
      const wait = milliseconds(tools.invocation + apart * (index + 1));
      return attempt(tools.inbox.postpone(queued, wait), tools);
    }),
  );
}

type QueueAnswer = "done" | "not done";

async function answerOne<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  kept: Hidden | undefined,
  tools: AnswerQueueTools<T, O, E>,
): Promise<QueueAnswer> {
  try {
    const { content } = queued;
    if (content instanceof Fault) throw content;
    const pass = await runPass({ content, ...receptionOf(queued.receives) }, tools);
    await kept?.end();
    if ("wait" in pass) return await rest(queued, pass.wait, tools);
    // It would be back before Lambda deletes the batch.
    if (kept !== undefined) await attempt(tools.inbox.acknowledge(queued), tools);
    return "done";
  } catch (cause) {
    await kept?.end();
    return failed(queued, faultOf(cause), tools);
  }
}

/** The queue, and the journal of what went wrong. */
type QueueTools = Pick<AnswerQueueTools<never, never, never>, "inbox" | "journal">;

type PartTools = QueueTools & Pick<AnswerQueueTools<never, never, never>, "invocation">;

function failed<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  fault: Fault,
  tools: AnswerQueueTools<T, O, E>,
): Promise<QueueAnswer> {
  const { content, receives } = queued;
  tools.journal.record(faultEntry(fault));
  const isOver =
    content instanceof Fault || tools.work.isTriedEnough({ content, ...receptionOf(receives) });
  return fault.retryable && !isOver
    ? rest(queued, restAfter(fault, queued, tools.work), tools)
    : deadLetter(queued, fault.message, tools);
}

/** Lets a message rest, or sends a fresh one and deletes it. If the function dies between the two, there are two messages, which do no harm. */
async function rest<T>(
  queued: QueueDelivery<T>,
  wait: Duration,
  tools: QueueTools,
): Promise<QueueAnswer> {
  const { inbox } = tools;
  const chosen = restOf(queued.receives, wait);
  if (chosen.kind === "postponed") {
    await attempt(inbox.postpone(queued, chosen.wait), tools);
    return "not done";
  }
  const reception = receptionOf(queued.receives);
  const renewed = await attempt(inbox.renew(queued, chosen.wait, reception), tools);
  // Not left to Lambda, which deletes a batch at its end: until then, a crash on another message would double this one.
  if (renewed === "done") await attempt(inbox.acknowledge(queued), tools);
  return renewed;
}

function deadLetter(queued: QueueMessage, reason: string, tools: QueueTools): Promise<QueueAnswer> {
  return attempt(tools.inbox.deadLetter(queued, reason), tools);
}

/** Waits for a call of the queue. If the call fails, the message comes back when its visibility timeout ends. */
async function attempt(call: Promise<void>, { journal }: QueueTools): Promise<QueueAnswer> {
  try {
    await call;
    return "done";
  } catch (cause) {
    journal.record({ ...faultEntry(cause), retryable: true });
    return "not done";
  }
}

const longestRest = minutes(3);

// 5, 10, 20, 40, 80, 160, then 180 seconds, or less if the work has to be retried sooner. The receives are counted, of
// whatever pass: nothing remembers how many of them met a fault.
function restAfter<T, O, E extends AnyEntry>(
  { retryWithin }: Fault,
  { receives, content }: QueueDelivery<T>,
  work: QueueWork<T, O, E>,
): Duration {
  const within = content instanceof Fault ? "usual" : (work.restWithin?.(content) ?? "usual");
  const longest = within === "usual" ? longestRest : shortest(longestRest, within);
  const growing = seconds(5 * 2 ** Math.min(receivesOfNotice(receives) - 1, 6));
  return shortest(longest, milliseconds(retryWithin), growing);
}

/** A message that is hidden for a moment only, again and again while the work on it goes on. */
interface Hidden {
  /** Waits until it is hidden for the first time, but not long. */
  begun(): Promise<void>;
  /** Stops hiding the message. The next request for it counts. */
  end(): Promise<void>;
}

const firstHideWait = seconds(1);

/**
 * Hides a message for some time, and again before that has passed. If the function dies, the message comes back after that
 * time; as long as it lives, no other invocation receives the message.
 */
function hidden(
  hide: (within: Duration) => Promise<unknown>,
  within: Duration,
  clock: Clock,
): Hidden {
  const wakeup = new Wakeup();
  let isOver = false;
  const first = hide(within);
  const goOn = async () => {
    for (;;) {
      await clock.sleep(later(clock.now(), milliseconds(within / 3)), wakeup);
      if (isOver) return;
      await hide(within);
    }
  };
  const rest = first.then(goOn);
  return {
    begun: async () => {
      await Promise.race([first, sleepFor(firstHideWait, clock)]);
    },
    end: async () => {
      isOver = true;
      wakeup.notify();
      await rest;
    },
  };
}
