import { type Instant, instant } from "../../lambda/base/time.ts";

/** A point in time as Kubernetes writes it, in whole seconds. */
export const wireTime = (at: Instant): string =>
  `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;

/** A point in time with the microseconds of the audit log. */
export const wireMicroTime = (at: Instant): string =>
  `${new Date(at).toISOString().slice(0, 23)}000Z`;

/** Reads what Kubernetes wrote. */
export const readTime = (text: string): Instant => instant(Date.parse(text));
