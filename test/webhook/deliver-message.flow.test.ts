import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it, onTestFinished } from "vitest";
import { SecretUrl } from "../../lambda/aws/webhook/webhook-secret.ts";
import { later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { httpsPost } from "../../lambda/http/webhook/https-post.ts";
import { deliverMessage } from "../../lambda/webhook/news-delivery.flow.ts";
import { account, aServedAccount, start } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";
import { type Answer, takes, webhookReceiver } from "../support/webhook-receiver.ts";

const arn = `arn:aws:secretsmanager:${account.region}:${account.id}:secret:drains-a1B2c3`;

const says =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end("no");

/** Answers in turn, and then takes every message. */
function inTurn(...answers: readonly Answer[]): Answer {
  const left = [...answers];
  return (response, received) => (left.shift() ?? takes)(response, received);
}

async function aWebhook(answer: Answer = takes, limit = seconds(60)) {
  const webhook = await webhookReceiver(answer);
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, webhook.authority]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const { aws, server, key } = await aServedAccount();
  aws.records.secrets.set(arn, webhook.url);
  const options = { endpoint: server.url, region: account.region, credentials: key };
  const clock = new QuickClock();
  const secret = new SecretUrl(new SecretsManagerClient(options), arn, clock);
  const post = httpsPost("test", limit);
  const tools = { secret, post, clock, lastStart: later(start, minutes(10)) };
  const deliver = (lastStart = tools.lastStart) =>
    deliverMessage('{"text":"hello"}', { ...tools, lastStart });
  return { ...webhook, aws, clock, deliver };
}

describe("a message for a webhook", () => {
  it("is posted as JSON to the URL in the secret, which is read once for some minutes", async () => {
    const { received, deliver, aws, clock } = await aWebhook();
    await deliver();
    await deliver();
    expect(received).toMatchObject(
      Array(2).fill({ path: "/services/T0/B0/hush-hush", body: '{"text":"hello"}' }),
    );
    expect(aws.calls.of("GetSecretValue")).toHaveLength(1);
    await clock.sleep(later(clock.now(), minutes(5)));
    await deliver();
    expect(aws.calls.of("GetSecretValue")).toHaveLength(2);
  });

  it("finds the URL in the JSON of a secret too", async () => {
    const { received, deliver, aws, url } = await aWebhook();
    aws.records.secrets.set(arn, JSON.stringify({ url, note: "ours" }));
    await deliver();
    expect(received).toHaveLength(1);
  });

  it("waits as long as a 429 asks, and a little longer after each 500", async () => {
    const answer = inTurn(says(429, { "retry-after": "7" }), says(500), says(503));
    const { received, deliver, clock } = await aWebhook(answer);
    await deliver();
    expect(received).toHaveLength(4);
    expect(clock.slept).toEqual([seconds(7), seconds(2), seconds(4)]);
  });

  it("is given up after four posts that a server leaves unanswered", async () => {
    const { received, deliver } = await aWebhook(() => undefined, seconds(1));
    await expect(deliver()).rejects.toThrow(
      "webhook.undelivered: the webhook has not taken a message: no answer: ABORT_ERR, 4 times",
    );
    expect(received).toHaveLength(4);
  });

  it("is given up where the server changes to another protocol, for which there is no answer", async () => {
    const { received, deliver } = await aWebhook((response) => {
      response.socket?.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      );
    }, seconds(1));
    await expect(deliver()).rejects.toThrow("the webhook has not taken a message: no answer");
    expect(received).toHaveLength(4);
  });

  it("is given up where nobody listens, and no fault names the URL", async () => {
    const { deliver, aws } = await aWebhook();
    aws.records.secrets.set(arn, "https://127.0.0.1:9/hush-hush");
    const fault: unknown = await deliver().catch((cause: unknown) => cause);
    expect(String(fault)).toContain("no answer: ECONNREFUSED, 4 times");
    expect(String(fault)).not.toMatch(/hush|127\.0\.0\.1/);
  });

  it("follows no redirect", async () => {
    const { received, deliver, url } = await aWebhook();
    const { deliver: redirected } = await aWebhook(says(307, { location: url }));
    await expect(redirected()).rejects.toThrow("HTTP 307");
    await deliver();
    expect(received).toHaveLength(1);
  });

  it("goes to the new URL once the old one is refused", async () => {
    const old = await aWebhook(inTurn(takes, says(410)));
    const { received, url } = await aWebhook();
    await old.deliver();
    old.aws.records.secrets.set(arn, url);
    await old.deliver();
    expect(received).toHaveLength(1);
  });

  it("is given up when the URL in the secret is refused, too", async () => {
    const { received, deliver, aws } = await aWebhook(inTurn(takes, says(404), says(404)));
    await deliver();
    await expect(deliver()).rejects.toThrow("HTTP 404");
    expect(received).toHaveLength(3);
    expect(aws.calls.of("GetSecretValue")).toHaveLength(2);
  });

  it("is not posted when the invocation is nearly over", async () => {
    const { received, deliver } = await aWebhook();
    await expect(deliver(later(start, milliseconds(-1)))).rejects.toThrow("nearly up");
    expect(received).toEqual([]);
  });

  it("is given up at once where the wait that a 429 asks for would outlast the invocation", async () => {
    const { received, deliver, clock } = await aWebhook(says(429, { "retry-after": "30" }));
    await expect(deliver(later(start, seconds(29)))).rejects.toThrow("nearly up");
    expect(received).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  it.each(["http://example.com/hush", "hush", '{"uri": "https://x/hush"}', "https://u:p@x/hush"])(
    "is posted by HTTPS alone, and no fault says what else is in the secret: %s",
    async (text) => {
      const { deliver, aws } = await aWebhook();
      aws.records.secrets.set(arn, text);
      const fault: unknown = await deliver().catch((cause: unknown) => cause);
      expect(String(fault)).toContain(`config.invalid: reading the secret ${arn}: expected a URL`);
      expect(String(fault)).not.toContain("hush");
    },
  );

  it("is a fault of AWS while the secret is missing or denied", async () => {
    const { received, deliver, aws, url } = await aWebhook();
    aws.authorize = () => "denied";
    await expect(deliver()).rejects.toThrow(`aws.denied: reading the secret ${arn}`);
    aws.authorize = () => "allowed";
    aws.records.secrets.delete(arn);
    await expect(deliver()).rejects.toThrow(`reading the secret ${arn}: HTTP 400 ResourceNotFound`);
    aws.records.secrets.set(arn, url);
    await deliver();
    expect(received).toHaveLength(1);
  });
});
