import { Fault, faultOf } from "../base/fault.ts";
import type { AnyEntry } from "./entry.ts";
import type { Journal } from "./journal.port.ts";
import type { PassEntry } from "./pass-entry.ts";
import type { Delivery } from "./queue.port.ts";
import type { PassTools } from "./run-pass.flow.ts";

/** The journal of one message: each of its entries names the message, and what the message is about. */
export function journalOf<T, O, E extends AnyEntry>(
  { messageId, content }: Delivery<T>,
  { journal, work }: PassTools<T, O, E>,
): Journal<E | PassEntry> {
  const subject = content instanceof Fault ? {} : work.subjectOf(content);
  return { record: (entry) => journal.record({ ...entry, ...subject, messageId }) };
}

type FaultEntry = Extract<PassEntry, { readonly kind: "fault" }>;

/** The journal's entry for anything that was thrown. */
export function faultEntry(cause: unknown): FaultEntry {
  const { code, message, retryable } = faultOf(cause);
  return { kind: "fault", code, message, retryable };
}
