import type { Maintenance } from "./notice.ts";

/** The queue that the function's own notices come from, as a place to send further notices to. */
export interface Outbox {
  /** Sends a notice under a new id, which it returns. */
  send(notice: Omit<Maintenance, "id">): Promise<string>;
}
