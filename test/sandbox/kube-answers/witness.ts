/** One request of the interview. */
export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default "admin" */
  readonly as?: "admin" | "nobody" | "impostor";
}

/** One answer, unchanged. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** An API server under interview: the sandbox's, or a real one. */
export interface Witness {
  ask(question: Question): Promise<Reply>;
  /** Lets a little time pass. */
  pass(): Promise<void>;
  /** Stops and restarts the disruption controller. */
  holdBudgets(): Promise<void>;
  releaseBudgets(): Promise<void>;
  /** Makes the API server forget all earlier changes. */
  forgetHistory(): Promise<void>;
  /** Deletes a namespace, which a pod keeps from being gone. */
  endNamespace(name: string, pod: string): Promise<void>;
}
