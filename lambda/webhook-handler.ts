import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions } from "./aws/aws-client-options.ts";
import { SecretUrl } from "./aws/webhook/webhook-secret.ts";
import { productName, productVersion } from "./base/contract.ts";
import { type Instant, instant, later, milliseconds } from "./base/time.ts";
import { httpsPost } from "./http/webhook/https-post.ts";
import { jsonJournal } from "./process/json-journal.ts";
import { startedWith } from "./process/started-with.ts";
import { systemClock } from "./process/system-clock.ts";
import { unpacked } from "./process/unpacked.ts";
import { readLogBatch } from "./webhook/log-batch.ts";
import { messageOf } from "./webhook/message.ts";
import { deliverMessage, NewsDelivery } from "./webhook/news-delivery.flow.ts";
import { readWebhookConfig } from "./webhook/webhook-config.ts";

const clock = systemClock;
const config = startedWith(readWebhookConfig);
const client = new SecretsManagerClient(awsClientOptions(config.region));
const secret = new SecretUrl(client, config.secret, clock);
const post = httpsPost(`${productName}/${productVersion}`);
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
// The time that a message under way may still take: four tries of ten seconds for the secret, and one post.
const reserve = milliseconds(60_000);
let lastStart: Instant = instant(0);

const delivery = new NewsDelivery({
  journal,
  deliver: (news) =>
    deliverMessage(messageOf(config.clusterName, news, config.format), {
      secret,
      post,
      clock,
      lastStart,
    }),
});

/** Tells a webhook the news in lines of the journal, which CloudWatch Logs brings. If it throws, Lambda brings them twice more. */
export async function handler(
  event: unknown,
  context: { getRemainingTimeInMillis(): number },
): Promise<void> {
  const lines = readLogBatch(event, unpacked);
  lastStart = later(clock.now(), milliseconds(context.getRemainingTimeInMillis() - reserve));
  await delivery.deliver(lines);
}
