import { faultOf } from "../base/fault.ts";
import type { Entry } from "../registrations/entry.ts";

type FaultEntry = Extract<Entry, { readonly kind: "fault" }>;

/** The journal's entry for anything that was thrown. */
export function faultEntry(cause: unknown): FaultEntry {
  const { code, message, retryable } = faultOf(cause);
  return { kind: "fault", code, message, retryable };
}
