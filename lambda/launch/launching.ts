import type { Instant } from "../base/time.ts";
import type { HookReader } from "../notice/hook.ts";
import type { LifecycleAction } from "../notice/lifecycle-action.ts";
import { heldWords, type WordsFor } from "../notice/notice-words.ts";

/** A launch hook holds an instance that starts, new from EC2 or out of the group's warm pool. */
export interface Launching {
  readonly kind: "launching";
  readonly action: LifecycleAction;
  readonly origin: "new" | "warm-pool";
  readonly destination: "group" | "warm-pool";
  /** The notification metadata of the hook; empty when it has none. */
  readonly metadata: string;
  readonly since: Instant;
}

/** The reader of the notices of launch hooks. */
export const launchHook: HookReader<Launching> = {
  transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
  event: "EC2 Instance-launch Lifecycle Action",
  notice: ({ action, origin, destination, metadata }, since) => ({
    kind: "launching",
    action,
    origin: origin === "WarmPool" ? "warm-pool" : "new",
    destination: destination === "WarmPool" ? "warm-pool" : "group",
    metadata,
    since,
  }),
};

export const launchWords: WordsFor<Launching> = { launching: heldWords };
