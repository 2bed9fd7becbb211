import { basename } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { Output } from "./terminal/output.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The environment of this process. A second Ctrl-C ends it at once. */
export function processIo(): Io {
  const stop = new AbortController();
  for (const signal of signals) process.once(signal, () => stop.abort());
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    stop.abort();
    // The reader of the output, such as `head`, may close the pipe early.
    if (error.code !== "EPIPE") failUnwritten(error);
  });
  return {
    ...(basename(process.argv[1] ?? "").startsWith("kubectl-") && {
      calledAs: "kubectl node-lifecycle",
    }),
    stdout: new Output(process.stdout),
    stderr: new Output(process.stderr),
    readInput: () => text(process.stdin),
    ...(process.stdin.isTTY && { readLine: () => lineOf(process.stdin, stop.signal) }),
    env: process.env,
    cwd: process.cwd(),
    interrupted: stop.signal,
  };
}

/** Fails the command, whatever its result, because its output is incomplete. */
function failUnwritten({ message }: Error): void {
  process.stderr.write(
    `the output cannot be written: ${message}; free some space, or write it elsewhere\n`,
  );
  process.once("exit", () => {
    process.exitCode = exitCodes.fault;
  });
}

const lineOf = (input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const lines = createInterface({ input, signal });
    lines.once("close", () => resolve(""));
    lines.once("line", (line) => {
      resolve(line);
      // An open interface keeps the process alive.
      lines.close();
    });
  });
