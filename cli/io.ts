/** Something that text is written to. */
export interface Output {
  write(text: string): unknown;
  /** Whether the output is a terminal, rather than a pipe or a file. */
  readonly isTTY?: boolean;
  /** How wide a line may be; unknown if the output is no terminal. */
  readonly columns?: number;
  /** How many lines a terminal shows; unknown if the output is no terminal. */
  readonly rows?: number;
}

/** Everything that the command line uses of its surroundings. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Reads all of the standard input. */
  readonly readInput: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Fires when the user stops the command, for example with Ctrl-C. */
  readonly interrupted: AbortSignal;
}
