import type { Io } from "../../cli/io.ts";
import { Output } from "../../cli/terminal/output.ts";

/** Inputs and outputs that record what is written; nobody interrupts unless the test does. */
export interface CapturedIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  /** What a terminal gets that shows both outputs. */
  readonly both: () => string;
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
  /** What somebody at the terminal answers. @default nobody is there */
  readonly answer?: string;
}

/** Makes inputs and outputs for one run of the command line. */
export function capturedIo(surroundings: Surroundings = {}): CapturedIo {
  const { columns, rows, isTTY, env = {}, cwd = process.cwd(), input = "", answer } = surroundings;
  const stop = new AbortController();
  const written = { out: "", err: "", both: "" };
  const into = (which: "out" | "err") =>
    new Output({
      write: (text) => {
        written[which] += text;
        written.both += text;
      },
      columns,
      rows,
      isTTY,
    });
  return {
    stdout: into("out"),
    stderr: into("err"),
    env,
    cwd,
    readInput: async () => input,
    ...(answer !== undefined && { readLine: async () => answer }),
    interrupted: stop.signal,
    out: () => written.out,
    err: () => written.err,
    both: () => written.both,
    interrupt: () => stop.abort(),
  };
}
