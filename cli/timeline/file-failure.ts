import { CommandFailure } from "../command-failure.ts";

/** The failure of a command that could not read or write a file that the user named. */
export function fileFailure(what: string, cause: unknown, besides = ""): CommandFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  const remedy = `name a file in a folder that is there, which you may read and write${besides}`;
  return new CommandFailure(`${what}: ${why}`, remedy, { cause });
}
