import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Clock } from "../../base/clock.port.ts";
import { Fault } from "../../base/fault.ts";
import { type Instant, later, minutes } from "../../base/time.ts";
import type { WebhookSecret, WebhookUrl } from "../../webhook/webhook.port.ts";
import { ask } from "../aws-fault.ts";

const memory = minutes(5);

/** The URL of a webhook in Secrets Manager: the secret's text, or the field `url` of its JSON. It is remembered for some minutes. */
export class SecretUrl implements WebhookSecret {
  readonly #client: SecretsManagerClient;
  readonly #arn: string;
  readonly #clock: Pick<Clock, "now">;
  #known: { readonly url: URL; readonly until: Instant } | undefined;

  constructor(client: SecretsManagerClient, arn: string, clock: Pick<Clock, "now">) {
    this.#client = client;
    this.#arn = arn;
    this.#clock = clock;
  }

  async url(): Promise<WebhookUrl> {
    const now = this.#clock.now();
    if (this.#known !== undefined && now < this.#known.until)
      return { url: this.#known.url, was: "remembered" };
    const url = urlIn(await this.#read(), this.#arn);
    this.#known = { url, until: later(now, memory) };
    return { url, was: "fresh" };
  }

  forget(): void {
    this.#known = undefined;
  }

  #read(): Promise<string> {
    const command = new GetSecretValueCommand({ SecretId: this.#arn });
    return ask(
      `reading the secret ${this.#arn}`,
      async () => (await this.#client.send(command)).SecretString ?? "",
    );
  }
}

/** Reads the URL. The fault does not reveal the content of the secret. */
function urlIn(secret: string, arn: string): URL {
  const url = URL.parse(fieldIn(secret) ?? secret.trim());
  if (url?.protocol === "https:" && url.username === "") return url;
  const expected = 'a URL that begins with https://, or JSON with such a URL in "url"';
  throw new Fault("config.invalid", `reading the secret ${arn}: expected ${expected}`);
}

function fieldIn(secret: string): string | undefined {
  try {
    const { url } = Object(JSON.parse(secret));
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}
