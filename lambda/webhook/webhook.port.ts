import type { Posted } from "./next-try.ts";

/** The URL of a webhook, and whether it was read for this call. */
export interface WebhookUrl {
  readonly url: URL;
  readonly was: "fresh" | "remembered";
}

/** Keeps the URL of the webhook, which is a secret. */
export interface WebhookSecret {
  url(): Promise<WebhookUrl>;
  /** Forgets the URL, so that the next call reads it again. */
  forget(): void;
}

export type PostsJson = (url: URL, body: string) => Promise<Posted>;
