import type { InstanceId } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";
import type { AnyOutcome, Note } from "./outcome.ts";

/** The journal's entries about any pass over a notice. */
export type PassEntry =
  | { readonly kind: "pass-started"; readonly notice: string; readonly receives: number }
  | { readonly kind: "warning"; readonly about: string; readonly warnings: readonly string[] }
  | { readonly kind: "heartbeat"; readonly hook: string; readonly instance: InstanceId }
  | { readonly kind: "hook-completed"; readonly action: LifecycleAction; readonly result: string }
  | {
      readonly kind: "pass-ended";
      readonly left: readonly Note[];
      readonly wait: Duration;
      /** The pass has only marked its node; its pods are seen by the next. */
      readonly onlyMarked?: true;
    }
  | {
      readonly kind: "fault";
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
    };

/** The entry of the journal about the end of a notice. */
export interface NoticeDone<O extends AnyOutcome = AnyOutcome> {
  readonly kind: "notice-done";
  readonly notice: string;
  readonly outcome: O;
}
