import type { Output } from "./terminal/output.ts";

/** Everything that the command line uses of its surroundings. */
export interface Io {
  /** What somebody has called it by. */
  readonly calledAs?: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Reads all of the standard input. */
  readonly readInput: () => Promise<string>;
  /** Reads a line of whoever is at the terminal, empty if they end the input; absent where nobody can answer. */
  readonly readLine?: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Fires when the user stops the command, for example with Ctrl-C. */
  readonly interrupted: AbortSignal;
}
