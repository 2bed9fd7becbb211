/** Where text goes. */
export interface Output {
  write(text: string): unknown;
  /** Whether somebody looks at it, rather than a pipe or a file. */
  readonly isTTY?: boolean;
  /** How wide a line may be; unknown where nobody looks. */
  readonly columns?: number;
}

/** Everything that the command line has to do with its surroundings. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Reads all of the standard input. */
  readonly readInput: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin in. */
  readonly cwd: string;
  /** Fires when the user wants no more, as with Ctrl-C. */
  readonly interrupted: AbortSignal;
}
