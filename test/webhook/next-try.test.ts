import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { nextTry, type Posted } from "../../lambda/webhook/next-try.ts";

const answered = (status: number, retryAfter: number | "unsaid" = "unsaid"): Posted => ({
  kind: "answered",
  status,
  retryAfter: retryAfter === "unsaid" ? retryAfter : seconds(retryAfter),
});
const first = { count: 1, url: "remembered" } as const;

describe("after a message was posted", () => {
  it.each([200, 202, 204])("it is delivered with status %i", (status) => {
    expect(nextTry(answered(status), first)).toEqual({ kind: "delivered" });
  });

  it("it is posted again after ever longer, as long as the server has trouble or does not answer", () => {
    for (const posted of [answered(500), answered(429), { kind: "unanswered", why: "x" } as const])
      expect([1, 2, 3].map((count) => nextTry(posted, { ...first, count }))).toEqual(
        [1, 2, 4].map((wait) => ({ kind: "again", wait: seconds(wait), url: "the same" })),
      );
  });

  it("it waits as long as the server asks, for half a minute at most", () => {
    expect(nextTry(answered(429, 30), first)).toMatchObject({ kind: "again", wait: seconds(30) });
    expect(nextTry(answered(429, 31), first)).toMatchObject({ kind: "again", wait: seconds(30) });
    expect(nextTry(answered(503, 99_999), first)).toMatchObject({ wait: seconds(30) });
  });

  it("it is given up after four times", () => {
    const last = { ...first, count: 4 };
    expect(nextTry(answered(503), last)).toEqual({ kind: "given up", why: "HTTP 503, 4 times" });
    expect(nextTry({ kind: "unanswered", why: "ECONNRESET" }, last)).toEqual({
      kind: "given up",
      why: "no answer: ECONNRESET, 4 times",
    });
  });

  it.each([401, 403, 404, 410])("the URL is read anew after status %i, once", (status) => {
    const anew = { kind: "again", wait: seconds(0), url: "read again" };
    expect(nextTry(answered(status), first)).toEqual(anew);
    expect(nextTry(answered(status), { count: 2, url: "fresh" })).toMatchObject({
      kind: "given up",
    });
  });

  it.each([301, 302, 307, 400, 413])("it is given up with status %i", (status) => {
    expect(nextTry(answered(status), first)).toEqual({ kind: "given up", why: `HTTP ${status}` });
  });
});
