import type { Eviction } from "./eviction.ts";

/** The requests for pods that this process has under way, or that took effect a moment ago, so that two drains of one node send each once. */
export interface PodRequests {
  /** The answer to such a request; sends it if there is none. */
  recall(title: string, send: () => Promise<Eviction>): Promise<Eviction>;
}
