/** A line of a function's log group: what the function writes, or what Lambda writes about it. */
export interface LogLine {
  readonly source: "function" | "platform";
  readonly text: string;
}

/** Hears every line. */
export type LogListener = (line: LogLine) => void;
