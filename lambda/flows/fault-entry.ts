import type { Entry } from "../domain/entry.ts";
import { faultOf } from "../fault.ts";

type FaultEntry = Extract<Entry, { readonly kind: "fault" }>;

/** The journal's entry for anything that was thrown. */
export function faultEntry(cause: unknown): FaultEntry {
  const { code, message, retryable } = faultOf(cause);
  return { kind: "fault", code, message, retryable };
}
