import type { Io } from "../../cli/io.ts";

/** Inputs and outputs that record what is written; nobody interrupts unless the test does. */
export interface CapturedIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  readonly interrupt: () => void;
}

/** What differs from a pipe in the project's folder. */
export interface Surroundings {
  readonly columns?: number;
  readonly rows?: number;
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** @default nothing */
  readonly input?: string;
}

/** Makes inputs and outputs for one run of the command line. */
export function capturedIo(surroundings: Surroundings = {}): CapturedIo {
  const { columns, rows, isTTY, env = {}, cwd = process.cwd(), input = "" } = surroundings;
  const stop = new AbortController();
  const written = { out: "", err: "" };
  return {
    stdout: {
      write: (text) => {
        written.out += text;
      },
      columns,
      rows,
      isTTY,
    },
    stderr: {
      write: (text) => {
        written.err += text;
      },
    },
    env,
    cwd,
    readInput: async () => input,
    interrupted: stop.signal,
    out: () => written.out,
    err: () => written.err,
    interrupt: () => stop.abort(),
  };
}
