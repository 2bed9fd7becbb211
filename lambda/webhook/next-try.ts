import { type Duration, seconds } from "../base/time.ts";

/** What came of posting a message: the answer of the server, or none. */
export type Posted =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: Duration | "unsaid" }
  | { readonly kind: "unanswered"; readonly why: string };

/** How a message has been tried so far. */
export interface Tries {
  /** How often it has been posted. */
  readonly count: number;
  /** Whether its URL was read for it, or an earlier message's was used. */
  readonly url: "fresh" | "remembered";
}

/** What to do after a try. */
export type NextTry =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly wait: Duration; readonly url: "anew" | "the same" }
  | { readonly kind: "given up"; readonly why: string };

const mostTries = 4;
// Lambda tries a whole batch again after one minute and after two, so nothing waits here for longer.
const longestWait = seconds(30);

/** The answers of a webhook that is no longer what it was: its URL may have been replaced. */
const replaced = [401, 403, 404, 410];

/** Says after a try whether the message is delivered, is to be posted again, or is given up. */
export function nextTry(posted: Posted, { count, url }: Tries): NextTry {
  if (posted.kind === "unanswered")
    return again(count, seconds(2 ** (count - 1)), `no answer: ${posted.why}`);
  const { status, retryAfter } = posted;
  const why = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (replaced.includes(status) && url === "remembered")
    return { kind: "again", wait: seconds(0), url: "anew" };
  if (status !== 429 && status < 500) return { kind: "given up", why };
  return again(count, retryAfter === "unsaid" ? seconds(2 ** (count - 1)) : retryAfter, why);
}

function again(count: number, wait: Duration, why: string): NextTry {
  if (count >= mostTries) return { kind: "given up", why: `${why}, ${count} times` };
  if (wait > longestWait) return { kind: "given up", why: `${why}, to be tried again later` };
  return { kind: "again", wait, url: "the same" };
}
