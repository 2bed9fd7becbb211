import type { Instant } from "../time.ts";

/** Asks for one look at all managed groups; a schedule sends it. */
export interface RepairMessage {
  readonly kind: "repair";
  /** When it was sent; `unsaid` where somebody asks by hand. */
  readonly sent: Instant | "unsaid";
}
