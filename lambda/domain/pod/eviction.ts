import type { Duration } from "../time.ts";

/** How long a pod gets to end: what it asks for itself, or a shorter time. */
export type Grace = "own" | Duration;

/** When the server says to come back; `unsaid` when it does not. */
export type RetryAfter = Duration | "unsaid";

/**
 * What the API server made of an eviction.
 *
 * Only `accepted` and `gone` say something for certain; a `conflict` has four causes and `unclear` may
 * have taken effect, so both are settled by looking at the pod again.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export type Eviction =
  | { readonly kind: "accepted" }
  | { readonly kind: "gone" }
  | { readonly kind: "conflict"; readonly message: string }
  | { readonly kind: "blocked"; readonly message: string; readonly retryAfter: RetryAfter }
  | { readonly kind: "overlapping-budgets"; readonly message: string }
  | { readonly kind: "throttled"; readonly message: string; readonly retryAfter: RetryAfter }
  | { readonly kind: "namespace-terminating"; readonly message: string }
  | { readonly kind: "denied"; readonly message: string }
  /** Not as the API server wants it: a defect of ours, which asking again does not mend. */
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "unclear"; readonly message: string; readonly retryAfter: RetryAfter };
