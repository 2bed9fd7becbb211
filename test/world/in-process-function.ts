import { type Duration, hours, type Instant, later } from "../../lambda/base/time.ts";
import type { InvocationResult, RunningFunction } from "../../sandbox/lambda/invocation.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import type { FunctionProcess } from "./function-process.ts";

/** How a function in this process is started. */
export interface InProcessSettings {
  readonly timeline: VirtualTimeline;
  /** How long an invocation may take. */
  readonly timeout: Duration;
  readonly start: () => FunctionProcess;
}

const dead: InvocationResult = {
  kind: "error",
  error: { errorType: "Runtime.ExitError", errorMessage: "the process is dead", trace: [] },
};

// Lambda ends a process that has had nothing to do for a while, long before its credentials expire.
const longestIdle = hours(1);

interface Idle {
  readonly process: FunctionProcess;
  readonly until: Instant;
}

/** Runs the function in this process and in virtual time. Each simulated process works on one event at a time. */
export class InProcessFunction implements RunningFunction {
  readonly #settings: InProcessSettings;
  readonly #busy = new Set<FunctionProcess>();
  #idle: readonly Idle[] = [];

  constructor(settings: InProcessSettings) {
    this.#settings = settings;
  }

  /** Gives an event to a process. It rejects if the handler throws, which no test expects. */
  async invoke(event: unknown): Promise<InvocationResult> {
    const { timeline, timeout } = this.#settings;
    const process = this.#process();
    this.#busy.add(process);
    const cancel = timeline.schedule(later(timeline.now(), timeout), () => process.life.end());
    const died = new Promise<"died">((resolve) => process.life.onEnd(() => resolve("died")));
    try {
      const payload = await Promise.race([process.answer(event), died]);
      if (payload === "died") return dead;
      this.#idle = [...this.#idle, { process, until: later(timeline.now(), longestIdle) }];
      return { kind: "ok", payload };
    } finally {
      cancel();
      this.#busy.delete(process);
    }
  }

  /** The process that was idle last, or a new one. */
  #process(): FunctionProcess {
    const now = this.#settings.timeline.now();
    for (const { process } of this.#idle.filter(({ until }) => until <= now)) process.life.end();
    const idle = this.#idle.filter(({ until }) => until > now);
    this.#idle = idle.slice(0, -1);
    return idle.at(-1)?.process ?? this.#settings.start();
  }

  crash(): number {
    const { size } = this.#busy;
    for (const process of this.#busy) process.life.end();
    return size;
  }

  close(): void {
    this.crash();
    this.#idle = [];
  }
}
