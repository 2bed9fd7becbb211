import type { Command } from "commander";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { type Failure, failureOf } from "./failure-of.ts";
import type { Io } from "./io.ts";
import { jsonLast, printJson, wantsJson } from "./json/print-json.ts";
import { commandsFor, programOf } from "./program.ts";
import { Output } from "./terminal/output.ts";
import { tryWayOut } from "./way-out.ts";

/** Runs the command line and returns its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const ended = (now: ExitCode): void => {
    code = now;
  };
  const program = programOf(await commandsFor(argv), io, ended);
  const { commands } = program;
  const json = wantsJson(argv);
  for (const command of [program, ...commands]) bound(command, json ? spoken(io) : io);
  try {
    await program.parseAsync([...jsonLast(argv)], { from: "user" });
    return code;
  } catch (thrown) {
    const failure = failureOf(thrown, commands);
    if (failure === "none") return exitCodes.done;
    report(failure, json, io);
    const way = tryWayOut(thrown);
    if (way !== undefined) io.stderr.writeLine(way);
    return failure.exitCode;
  }
}

function report(failure: Failure, json: boolean, { stdout, stderr }: Io): void {
  if (json) printJson(stdout, { kind: "error", ...failure });
  const { exitCode, message, remedy } = failure;
  // Commander has already printed the usage error.
  if (exitCode !== exitCodes.usage) stderr.writeLine(`${message}; ${remedy}`);
}

/** The outputs for a program: texts for people, such as the help, become an object. */
const spoken = ({ stdout, ...rest }: Io): Io => ({
  ...rest,
  stdout: new Output({ write: (text) => printJson(stdout, { kind: "text", text }) }),
});

/** Makes a command write to these outputs, and throw instead of exiting. */
function bound(command: Command, { stdout, stderr }: Io): void {
  const width = (): number => Math.min(stdout.columns ?? 100, 120);
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}
