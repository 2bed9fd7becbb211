/** Why an invocation failed, as Lambda tells it. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** The result of an invocation. */
export type InvocationResult =
  | { readonly kind: "error"; readonly error: FunctionError }
  | { readonly kind: "ok"; readonly payload: unknown }
  /** Every process was busy, so none has received the event. */
  | { readonly kind: "throttled" };

/** Something that can be invoked with an event. */
export interface Invocable {
  invoke(event: unknown): Promise<InvocationResult>;
}

/** A deployed function. */
export interface RunningFunction extends Invocable {
  /** Kills every process that works on an event, and returns how many there were. */
  crash(): number;
  /** Ends every process. The next event needs a cold start. */
  close(): void;
}

const text = (value: unknown, otherwise: string): string =>
  typeof value === "string" ? value : otherwise;

/** Reads the report of an error that a runtime has sent. */
export function functionError(report: unknown): FunctionError {
  const { errorType, errorMessage, trace, stackTrace } = Object(report);
  const lines: unknown = trace ?? stackTrace;
  return {
    errorType: text(errorType, "Unknown"),
    errorMessage: text(errorMessage, ""),
    trace: Array.isArray(lines) ? lines.map(String) : [],
  };
}

/** A line of a function's log group, written by the function or by Lambda. */
export interface LogLine {
  readonly source: "function" | "platform";
  readonly text: string;
}

/** Is called for each line. */
export type LogListener = (line: LogLine) => void;
