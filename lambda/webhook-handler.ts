import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { LogGroupSearch } from "./adapters/aws/journal-search.ts";
import { SecretUrl } from "./adapters/aws/webhook-secret.ts";
import { httpsPost } from "./adapters/http/https-post.ts";
import { jsonJournal } from "./adapters/local/json-journal.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { unpacked } from "./adapters/local/unpacked.ts";
import { readWebhookConfig } from "./config/webhook-config.ts";
import { productName, productVersion } from "./contract.ts";
import { messageOf } from "./domain/news/message.ts";
import { type Instant, instant, later, milliseconds } from "./domain/time.ts";
import { tryReadJournalLine } from "./events/journal-line.ts";
import { readLogBatch } from "./events/log-batch.ts";
import { deliverMessage } from "./flows/news/deliver-message.ts";
import { NewsTeller } from "./flows/news/news-teller.ts";

const clock = systemClock;
const config = readWebhookConfig();
const options = awsClientOptions(config.region);
const secret = new SecretUrl(new SecretsManagerClient(options), config.secret, clock);
const post = httpsPost(`${productName}/${productVersion}`);
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
// What a message under way may still take: the secret, which is tried four times for ten seconds, and one post.
const reserve = milliseconds(60_000);
let lastStart: Instant = instant(0);

const teller = new NewsTeller({
  search: new LogGroupSearch(new CloudWatchLogsClient(options), config.journal),
  clock,
  journal,
  read: tryReadJournalLine,
  deliver: (news) =>
    deliverMessage(messageOf(config.clusterName, news, config.format), {
      ...{ secret, post, clock, lastStart },
    }),
});

/** Tells a webhook the news in lines of the journal, which CloudWatch Logs brings. If it throws, Lambda brings them twice more. */
export async function handler(
  event: unknown,
  context: { getRemainingTimeInMillis(): number },
): Promise<void> {
  const lines = readLogBatch(event, unpacked);
  lastStart = later(clock.now(), milliseconds(context.getRemainingTimeInMillis() - reserve));
  await teller.tell(lines);
}
