import type { Output } from "./terminal/output.ts";

/** The environment of the command line. */
export interface Io {
  /** The name that it was started by. */
  readonly calledAs?: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Reads the standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Reads a line from the user, empty at the end of the input; absent without a terminal. */
  readonly readLine?: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Fires when the user stops the command, for example with Ctrl-C. */
  readonly interrupted: AbortSignal;
}
