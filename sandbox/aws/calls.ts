import type { Instant } from "../../lambda/base/time.ts";

/** The end of a call. */
export type CallOutcome =
  | { readonly kind: "answered" }
  | { readonly kind: "lost"; readonly how: "hang" | "reset"; readonly effect: "none" | "taken" }
  | { readonly kind: "open" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** A call that reached the server. */
export interface AwsCall {
  readonly at: Instant;
  /** The signing name, such as `autoscaling`. */
  readonly service: string;
  readonly action: string;
  readonly parameters: unknown;
  readonly userAgent: string;
  /** The ARN of the principal that signed the call; empty for an unknown key. */
  readonly principal: string;
  readonly outcome: CallOutcome;
}

/** Every call, in the order they came. */
export class CallTrail {
  readonly #calls: AwsCall[] = [];
  readonly #listeners: ((call: AwsCall) => void)[] = [];

  /** Calls the listener with every call once its outcome is known. */
  onCall(listener: (call: AwsCall) => void): void {
    this.#listeners.push(listener);
  }

  all(): readonly AwsCall[] {
    return [...this.#calls];
  }

  of(action: string): readonly AwsCall[] {
    return this.#calls.filter((call) => call.action === action);
  }

  /** Records a call that comes in, and returns the function that records its outcome. */
  begin(call: Omit<AwsCall, "outcome">): (outcome: CallOutcome) => void {
    const index = this.#calls.push({ ...call, outcome: { kind: "open" } }) - 1;
    return (outcome) => {
      const ended = { ...call, outcome };
      this.#calls[index] = ended;
      for (const listener of this.#listeners) listener(ended);
    };
  }
}
