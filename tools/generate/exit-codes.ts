import { documentedCommands, helpOf } from "./cli-reference.ts";
import { tableOf, withTable } from "./table.ts";

/** Writes the list of exit codes into a document. */
export const withExitCodes = (document: string): string =>
  withTable("exit codes", tableOf([["Command", "0", "1", "2", "3"], ...rows()]), document);

const rows = () =>
  documentedCommands().map((command) => {
    const [, list = ""] = helpOf(command).split("\nExit codes:\n");
    return [`\`${command.name()}\``, ...[0, 1, 2, 3].map((code) => meaningIn(list, code))];
  });

/** The meaning of a code in the help of a command, which may go on in lines that are indented more; "–" where it has none. */
function meaningIn(list: string, code: number): string {
  const [, meaning] = new RegExp(`^  ${code}  (.*(?:\\n {5}.*)*)`, "m").exec(list) ?? [];
  return meaning === undefined ? "–" : meaning.replaceAll(/\s+/g, " ");
}
