import type { Duration } from "../base/time.ts";
import type { AnyEntry } from "./entry.ts";
import type { Journal } from "./journal.port.ts";
import { type Handback, waitBeforePass } from "./next-pass.ts";
import type { PassPorts } from "./notice.port.ts";
import type { Note, Pass } from "./outcome.ts";
import type { PassEntry } from "./pass-entry.ts";
import type { QueueWork, Received } from "./queue-work.flow.ts";

/** The tools of one pass. */
export interface PassTools<T, O, E extends AnyEntry> {
  readonly journal: Journal<E | PassEntry>;
  readonly work: QueueWork<T, O, E>;
  /** The length of one pass. */
  readonly pass: Duration;
}

/** Does one pass of the work that a message asks for; records its start, and the end of the work. */
export async function runPass<T, O, E extends AnyEntry>(
  received: Received<T>,
  { journal, work, pass }: PassTools<T, O, E>,
): Promise<Pass<O>> {
  journal.record(work.startEntry(received));
  const result = await work.run(received, pass, journal);
  if ("outcome" in result) journal.record(work.endEntry(received.content, result.outcome));
  return result;
}

/** Returns a notice that is not done, and logs what is left. */
export function handBack(
  left: readonly Note[],
  handback: Omit<Handback, "now">,
  { clock, journal }: Pick<PassPorts, "clock" | "journal">,
): Pass<never> {
  const wait = waitBeforePass({ ...handback, now: clock.now() });
  journal.record({ kind: "pass-ended", left, wait });
  return { kind: "again", wait };
}
