import { type Clock, sleepFor } from "../base/clock.port.ts";
import { Fault, faultOf } from "../base/fault.ts";
import {
  between,
  type Duration,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { AnyEntry } from "./entry.ts";
import { faultEntry, journalOf } from "./journal-of.flow.ts";
import { growingRest } from "./outcome.ts";
import type { Inbox, QueueDelivery } from "./queue.port.ts";
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
  /** No pass goes on after this. */
  readonly lastEnd: Instant;
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
  const begun = Promise.all([part(others, tools), ...kept.map((one) => one?.begun)]);
  await briefly(begun, tools.clock);
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

/** Does a pass, and lets the message rest if that does not end it. */
async function answerOne<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  kept: Hidden | undefined,
  tools: AnswerQueueTools<T, O, E>,
): Promise<QueueAnswer> {
  const answer = await answerPass(queued, tools);
  const passed = tools.clock.now();
  await kept?.end();
  if (typeof answer === "number") {
    const rested = rest(queued, answer, tools);
    if (kept === undefined) return endOf(await rested);
    return restBriefly({ queued, rested, next: later(passed, answer) }, kept, tools);
  }
  // It would be back before Lambda deletes the batch.
  if (kept !== undefined && answer === "done")
    await attempt(tools.inbox.acknowledge(queued), tools);
  return answer;
}

/** A message that is to rest until its next pass. */
interface Resting<T> {
  readonly queued: QueueDelivery<T>;
  readonly rested: Promise<Rested>;
  readonly next: Instant;
}

/** Lets a message rest that has little time. If the queue does not, its next pass follows in this invocation. */
async function restBriefly<T, O, E extends AnyEntry>(
  { queued, rested, next }: Resting<T>,
  kept: Hidden,
  tools: AnswerQueueTools<T, O, E>,
): Promise<QueueAnswer> {
  const { clock, lastEnd } = tools;
  const answer = await briefly(rested, clock);
  const pass = shortest(tools.pass, between(next, lastEnd));
  if (answer === "postponed" || answer === "renewed" || pass < leastPass) return endOf(answer);
  await clock.sleep(next, new Wakeup());
  const { receives } = queued;
  const again = { ...queued, receives: { ...receives, ofMessage: receives.ofMessage + 1 } };
  return answerOne(again, kept, { ...tools, pass });
}

type Rested = "failed" | "postponed" | "renewed";

const endOf = (rested: Rested | "silent"): QueueAnswer =>
  rested === "renewed" ? "done" : "not done";

/** No pass is shorter. */
export const leastPass = seconds(1);

/** One pass over a message: its answer, or the rest before the next pass. */
async function answerPass<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  tools: AnswerQueueTools<T, O, E>,
): Promise<Duration | QueueAnswer> {
  try {
    const { content } = queued;
    if (content instanceof Fault) throw content;
    const pass = await runPass({ content, ...receptionOf(queued.receives) }, tools);
    return "wait" in pass ? pass.wait : "done";
  } catch (cause) {
    return failed(queued, faultOf(cause), tools);
  }
}

/** The queue, and the journal of what went wrong. */
type QueueTools = Pick<AnswerQueueTools<never, never, never>, "inbox" | "journal">;

type PartTools = QueueTools & Pick<AnswerQueueTools<never, never, never>, "invocation">;

async function failed<T, O, E extends AnyEntry>(
  queued: QueueDelivery<T>,
  fault: Fault,
  tools: AnswerQueueTools<T, O, E>,
): Promise<Duration | QueueAnswer> {
  const { content, receives } = queued;
  tools.journal.record(faultEntry(fault));
  const isOver =
    content instanceof Fault || tools.work.isTriedEnough({ content, ...receptionOf(receives) });
  return fault.retryable && !isOver
    ? restAfter(fault, queued, tools.work)
    : attempt(tools.inbox.deadLetter(queued, fault.message), tools);
}

/** Lets a message rest, or sends a fresh one and deletes it. If the function dies between the two, there are two messages, which do no harm. */
async function rest<T>(
  queued: QueueDelivery<T>,
  wait: Duration,
  tools: QueueTools,
): Promise<Rested> {
  const { inbox } = tools;
  const chosen = restOf(queued.receives, wait);
  if (chosen.kind === "postponed") {
    const postponed = await attempt(inbox.postpone(queued, chosen.wait), tools);
    return postponed === "done" ? "postponed" : "failed";
  }
  const reception = receptionOf(queued.receives);
  const renewed = await attempt(inbox.renew(queued, chosen.wait, reception), tools);
  // Not left to Lambda, which deletes a batch at its end: until then, a crash on another message would double this one.
  if (renewed !== "done") return "failed";
  await attempt(inbox.acknowledge(queued), tools);
  return "renewed";
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
  return shortest(longest, milliseconds(retryWithin), growingRest(receivesOfNotice(receives)));
}

/** A message that is hidden for a moment only, again and again while the work on it goes on. */
interface Hidden {
  /** It is hidden for the first time. */
  readonly begun: Promise<unknown>;
  /** Stops hiding the message. The next request for it counts, unless the queue is slow. */
  end(): Promise<void>;
}

const answersWithin = seconds(1);

/** Waits for the queue, but not long: it may not answer at all, and instances end meanwhile. */
const briefly = <Answer>(answer: Promise<Answer>, clock: Clock): Promise<Answer | "silent"> =>
  Promise.race([answer, sleepFor(answersWithin, clock).then(() => "silent" as const)]);

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
  const begun = hide(within);
  const goOn = async () => {
    for (;;) {
      await clock.sleep(later(clock.now(), milliseconds(within / 3)), wakeup);
      if (isOver) return;
      await hide(within);
    }
  };
  const rest = begun.then(goOn);
  return {
    begun,
    end: async () => {
      isOver = true;
      wakeup.notify();
      await briefly(rest, clock);
    },
  };
}
