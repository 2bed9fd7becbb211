import { Command, CommanderError } from "commander";
import { productName, productVersion } from "../lambda/contract.ts";
import { faultOf } from "../lambda/fault.ts";
import { CommandFailure } from "./command-failure.ts";
import { discoverCommand } from "./discover/discover-command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { manifestsCommand } from "./manifests/manifests-command.ts";
import { remedyFor } from "./remedies.ts";
import { replayCommand } from "./replay/replay-command.ts";

/** Runs the command line and returns its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const program = new Command(productName)
    .description("Drains EKS nodes before their instances end.")
    .version(productVersion)
    .helpCommand(false);
  const ended = (now: ExitCode): void => {
    code = now;
  };
  const commands = [discoverCommand, manifestsCommand, replayCommand].map((make) =>
    make(io, ended),
  );
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) bound(command, io);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return failed(error, io);
  }
}

/** Makes a command write to these outputs, and throw instead of ending the process. */
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

function failed(error: unknown, { stderr }: Io): ExitCode {
  if (error instanceof CommanderError)
    return error.exitCode === exitCodes.done ? exitCodes.done : exitCodes.usage;
  if (error instanceof CommandFailure) {
    stderr.write(`${error.message}; ${error.remedy}\n`);
    return exitCodes.fault;
  }
  const message = faultOf(error).message.replaceAll("\n", ", ");
  stderr.write(`${message}; ${remedyFor(message)}\n`);
  return exitCodes.fault;
}
