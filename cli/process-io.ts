import { basename } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Io } from "./io.ts";
import { Output } from "./terminal/output.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The environment of this process. A second Ctrl-C ends it at once. */
export function processIo(): Io {
  const stop = new AbortController();
  for (const signal of signals) process.once(signal, () => stop.abort());
  // The reader of the output, such as `head`, may close the pipe early.
  process.stdout.on("error", () => stop.abort());
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
