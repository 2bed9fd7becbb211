import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { type Instant, later } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { Journal } from "../notice/journal.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { type NewsLine, tryReadJournalLine } from "./log-batch.ts";
import { type NextTry, nextTry } from "./next-try.ts";
import type { PostsJson, WebhookSecret } from "./webhook.port.ts";

export interface NewsTools {
  readonly journal: Journal;
  deliver(news: NewsLine): Promise<void>;
}

/**
 * Delivers the news in lines of the journal. CloudWatch Logs and Lambda may deliver a line twice, so the process remembers
 * which lines it has delivered.
 */
export class NewsDelivery {
  readonly #tools: NewsTools;
  readonly #delivered = new Set<string>();

  constructor(tools: NewsTools) {
    this.#tools = tools;
  }

  /** Delivers the news in these lines. If some fail, it tries the others first, and then throws the last failure. */
  async deliver(lines: readonly string[]): Promise<void> {
    const failures: unknown[] = [];
    for (const line of lines.filter((one) => !this.#delivered.has(one))) {
      const news = tryReadJournalLine(line);
      if (news === undefined) continue;
      try {
        await this.#tools.deliver(news);
        this.#delivered.add(line);
      } catch (cause) {
        this.#tools.journal.record({ ...faultEntry(cause), ...news.about });
        failures.push(cause);
      }
    }
    if (failures.length > 0) throw failures.at(-1);
  }
}

interface DeliveryTools {
  readonly secret: WebhookSecret;
  readonly post: PostsJson;
  readonly clock: Clock;
  /** No message is posted after this. */
  readonly lastStart: Instant;
}

/**
 * Posts a message, and retries it a few times. Throws if the webhook does not accept it. No fault names the URL, because it
 * is a secret.
 */
export async function deliverMessage(body: string, tools: DeliveryTools): Promise<void> {
  const { clock, lastStart } = tools;
  for (let count = 1; clock.now() <= lastStart; count += 1) {
    const next = await tryOnce(body, count, tools);
    if (next.kind === "delivered") return;
    if (next.kind === "given up") throw undelivered(next.why);
    const start = later(clock.now(), next.wait);
    if (start > lastStart) break;
    await clock.sleep(start, new Wakeup());
  }
  throw undelivered("the time of the invocation was nearly up");
}

async function tryOnce(body: string, count: number, tools: DeliveryTools): Promise<NextTry> {
  const { url, was } = await tools.secret.url();
  const next = nextTry(await tools.post(url, body), { count, url: was });
  if (next.kind === "again" && next.url === "read again") tools.secret.forget();
  return next;
}

const undelivered = (why: string): Fault =>
  new Fault("webhook.undelivered", `the webhook has not taken a message: ${why}`);
