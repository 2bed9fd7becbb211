/** A line of a function's log group, written by the function or by Lambda. */
export interface LogLine {
  readonly source: "function" | "platform";
  readonly text: string;
}

/** Is called for each line. */
export type LogListener = (line: LogLine) => void;
