import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { type Instant, later } from "../base/time.ts";
import { type NextTry, nextTry } from "./next-try.ts";
import type { PostsJson, WebhookSecret } from "./webhook.port.ts";

/** What the delivery of a message needs. */
export interface DeliveryTools {
  readonly secret: WebhookSecret;
  readonly post: PostsJson;
  readonly clock: Clock;
  /** No message is posted after this. */
  readonly lastStart: Instant;
}

/** Posts a message until the webhook takes it, a few times at most; throws if it does not. No fault ever names the URL. */
export async function deliverMessage(body: string, tools: DeliveryTools): Promise<void> {
  const { clock, lastStart } = tools;
  for (let count = 1; clock.now() <= lastStart; count += 1) {
    const next = await tryOnce(body, count, tools);
    if (next.kind === "delivered") return;
    if (next.kind === "given up") throw undelivered(next.why);
    const start = later(clock.now(), next.wait);
    if (start > lastStart) break;
    await clock.sleep(start, new Bell());
  }
  throw undelivered("the time of the invocation was nearly up");
}

async function tryOnce(body: string, count: number, tools: DeliveryTools): Promise<NextTry> {
  const { url, was } = await tools.secret.url();
  const next = nextTry(await tools.post(url, body), { count, url: was });
  if (next.kind === "again" && next.url === "anew") tools.secret.forget();
  return next;
}

const undelivered = (why: string): Fault =>
  new Fault("webhook.undelivered", `the webhook has not taken a message: ${why}`);
