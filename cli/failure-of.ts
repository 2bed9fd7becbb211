import { type Command, CommanderError } from "commander";
import { productName } from "../lambda/base/contract.ts";
import { Fault, faultOf } from "../lambda/base/fault.ts";
import { CommandFailure, StoppedCommand } from "./command-failure.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { reasonOf } from "./remedies.ts";
import { tryWayOut } from "./way-out.ts";

/** Why a command failed, and what to do about it. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** The code of a fault, or `usage` or `input` for mistakes of the user. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** Converts whatever a command threw into a failure; `none` after the help or the version. */
export function failureOf(thrown: unknown, commands: readonly Command[]): Failure | "none" {
  if (thrown instanceof CommanderError) return misuse(thrown, commands);
  if (thrown instanceof StoppedCommand)
    return {
      exitCode: exitCodes.notDone,
      code: "stopped",
      message: thrown.message,
      remedy: thrown.remedy,
    };
  const exitCode = exitCodes.fault;
  if (thrown instanceof CommandFailure) {
    const { message, remedy, cause } = thrown;
    return { exitCode, code: cause instanceof Fault ? cause.code : "input", message, remedy };
  }
  const fault = faultOf(thrown);
  const { why, remedy } = reasonOf(fault);
  return { exitCode, code: fault.code, message: why.replaceAll("\n", ", "), remedy };
}

function misuse(error: CommanderError, commands: readonly Command[]) {
  const { exitCode, code, message } = error;
  if (exitCode === exitCodes.done) return "none";
  const known = commands.map((command) => command.name()).join(", ");
  const way = tryWayOut(error);
  const words = code === "commander.help" ? `no command is given; there are: ${known}` : message;
  return {
    exitCode: exitCodes.usage,
    code: "usage",
    message: words.replace(/^error: /, ""),
    remedy: `${way === undefined ? "" : `${way}; `}${commands[0]?.parent?.name() ?? productName} --help shows the usage`,
  };
}
