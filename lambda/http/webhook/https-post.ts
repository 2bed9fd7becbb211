import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { seconds } from "../../base/time.ts";
import type { Posted } from "../../webhook/next-try.ts";
import type { PostsJson } from "../../webhook/webhook.port.ts";

/** Posts JSON by HTTPS, on a connection of its own, within a time limit. It follows no redirect, and reads no body. */
export const httpsPost =
  (product: string, limit = seconds(10)): PostsJson =>
  (url, body) =>
    new Promise<Posted>((resolve) => {
      const posting = request(url, {
        method: "POST",
        agent: false,
        signal: AbortSignal.timeout(limit),
        headers: {
          "content-type": "application/json; charset=utf-8",
          "content-length": Buffer.byteLength(body),
          "user-agent": product,
        },
      });
      posting.on("response", (response) => {
        resolve(answerOf(response));
        response.destroy();
      });
      posting.on("error", (error) => resolve({ kind: "unanswered", why: reasonOf(error) }));
      // Without an answer and an error a connection ends at a change of protocol (101).
      posting.on("close", () => resolve({ kind: "unanswered", why: "closed" }));
      posting.end(body);
    });

function answerOf({ statusCode: status = 0, headers }: IncomingMessage): Posted {
  const after = headers["retry-after"] ?? "";
  return {
    kind: "answered",
    status,
    retryAfter: /^\d{1,6}$/.test(after) ? seconds(Number(after)) : "unsaid",
  };
}

/** The code alone, because a message may have the URL's host in it. */
const reasonOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : error.name;
