import { type Duration, seconds, shortest } from "../base/time.ts";

/** The result of posting a message: the answer of the server, or none. */
export type Posted =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: Duration | "unsaid" }
  | { readonly kind: "unanswered"; readonly why: string };

/** The step after a try. */
export type NextTry =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly wait: Duration; readonly url: "read again" | "the same" }
  | { readonly kind: "given up"; readonly why: string };

const mostTries = 4;
// Lambda retries the whole batch after one and after two minutes, so a longer wait here would gain nothing.
const longestWait = seconds(30);

/** Statuses of a webhook whose URL has probably been replaced. */
const replaced = [401, 403, 404, 410];

/** Decides after a try whether the message is delivered, is posted again, or is given up. */
export function nextTry(
  posted: Posted,
  {
    count,
    url,
  }: {
    readonly count: number;
    /** The origin of the URL: its secret, read for this message, or an earlier message. */
    readonly url: "fresh" | "remembered";
  },
): NextTry {
  if (posted.kind === "unanswered")
    return again(count, seconds(2 ** (count - 1)), `no answer: ${posted.why}`);
  const { status, retryAfter } = posted;
  const why = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (replaced.includes(status) && url === "remembered")
    return { kind: "again", wait: seconds(0), url: "read again" };
  if (status !== 429 && status < 500) return { kind: "given up", why };
  const wait = retryAfter === "unsaid" ? seconds(2 ** (count - 1)) : retryAfter;
  return again(count, shortest(wait, longestWait), why);
}

function again(count: number, wait: Duration, why: string): NextTry {
  if (count >= mostTries) return { kind: "given up", why: `${why}, ${count} times` };
  return { kind: "again", wait, url: "the same" };
}
