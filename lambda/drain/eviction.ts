import type { Duration } from "../base/time.ts";

/** The time that a pod gets to end: its own, or a shorter one. */
export type Grace = "own" | Duration;

/** When to come back, as the server says; `unsaid` if it does not. */
export type RetryAfter = Duration | "unsaid";

/**
 * The API server's answer to an eviction.
 *
 * Only `gone` is certain. Of an `accepted` eviction the pod itself is the proof, a `conflict` has four possible causes, and
 * an `unclear` eviction may have taken effect. In these cases the drain looks at the pod again.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export type Eviction =
  | { readonly kind: "accepted" }
  | { readonly kind: "gone" }
  /** It was accepted, but seconds later the pod is not terminating: a webhook may have made it a dry run. */
  | { readonly kind: "without-effect"; readonly message: string }
  | { readonly kind: "conflict"; readonly message: string }
  | { readonly kind: "blocked"; readonly message: string; readonly retryAfter: RetryAfter }
  | { readonly kind: "overlapping-budgets"; readonly message: string }
  | { readonly kind: "throttled"; readonly message: string; readonly retryAfter: RetryAfter }
  | { readonly kind: "namespace-terminating"; readonly message: string }
  | { readonly kind: "denied"; readonly message: string }
  /** The API server finds the request invalid: a defect of ours, which no further request mends. */
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "unclear"; readonly message: string; readonly retryAfter: RetryAfter };

/** What became of an eviction: its answer, or that it was not sent after all. */
export type Evicted = Eviction | { readonly kind: "held-back" };

/** The answers that say nothing of a time when the eviction would be accepted. */
export const lastingRefusals: readonly string[] = ["denied", "invalid"];
