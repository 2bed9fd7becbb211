import type { GroupName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";

/** Something that has happened to an instance, or will, and that the pods of its node should not suffer from. Each subject has its own. */
export interface AnyNotice {
  readonly kind: string;
  readonly since: Instant;
}

/** A terminate hook holds an instance that leaves its group; one that goes to the warm pool lives on. */
export interface Terminating {
  readonly kind: "terminating";
  readonly action: LifecycleAction;
  readonly origin: "group" | "warm-pool";
  readonly destination: "terminated" | "warm-pool";
  /** The notification metadata of the hook; empty when it has none. */
  readonly metadata: string;
  readonly since: Instant;
}

/** A test message of Auto Scaling, which it sends when a hook is created. */
export interface Test {
  readonly kind: "test";
  readonly group: GroupName;
  readonly since: Instant;
}

/** A well-formed event that requires no action. */
export interface Unrelated {
  readonly kind: "unrelated";
  readonly reason: string;
  readonly since: Instant;
}

/** The notices that every deployment gets. */
export type CommonNotice = Terminating | Test | Unrelated;
