import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { type Instant, later, never } from "../base/time.ts";
import type { DirectDelivery } from "../registrations/queue.port.ts";
import { faultEntry, journalOf } from "./journal-of.flow.ts";
import { type PassTools, runPass } from "./run-pass.flow.ts";

/** What the work on a direct delivery needs. */
export interface AnswerDirectTools<T, O> extends PassTools<T, O> {
  readonly clock: Clock;
  /** No pass starts after this. */
  readonly lastStart: Instant;
}

/** How the work on a message ended; `unfinished` when the invocation's time was up first. */
export type DirectOutcome<O> = O | { readonly kind: "unfinished" };

/** Does passes until a message is done or the time is up; records a fault, and throws it. */
export async function answerDirect<T, O>(
  delivery: DirectDelivery<T>,
  tools: AnswerDirectTools<T, O>,
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

async function runPasses<T, O>(
  content: T,
  tools: AnswerDirectTools<T, O>,
): Promise<DirectOutcome<O>> {
  const { clock, lastStart } = tools;
  const firstReceived = clock.now();
  for (let receives = 1; ; receives += 1) {
    const pass = await runPass({ content, receives, firstReceived }, tools);
    if ("outcome" in pass) return pass.outcome;
    const next = "wait" in pass ? later(clock.now(), pass.wait) : never;
    if (next > lastStart) return { kind: "unfinished" };
    await clock.sleep(next, new Bell());
  }
}
