import type { Instant } from "../base/time.ts";
import type { WordsFor } from "../notice/notice-words.ts";
import type { Note } from "../notice/outcome.ts";
import type { ScheduledReader } from "../notice/read-notice.ts";

/** The schedule has counts put back that were raised to make room, and that no drain needs any more. */
export interface PutBack {
  readonly kind: "put-back";
  readonly since: Instant;
}

/**
 * The reader of the schedule's message, such as `{"kind": "put-back", "time":
 * "2026-11-20T10:00:00Z"}`.
 */
export const putBackMessage: ScheduledReader<PutBack> = {
  kind: "put-back",
  notice: (since) => ({ kind: "put-back", since }),
};

export const putBackWords: WordsFor<PutBack> = {
  "put-back": { title: () => "put back what made room", subject: () => ({}) },
};

/** The end of the work on the schedule's message. */
export type PutBackOutcome =
  /** No workload is scaled up any more that no drain needs, but for what could not be looked at or put back. */
  { readonly kind: "put-back"; readonly skipped?: readonly Note[] };
