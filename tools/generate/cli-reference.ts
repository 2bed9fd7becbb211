import type { Command } from "commander";
import type { Io } from "../../cli/io.ts";
import { everyCommand, programOf } from "../../cli/program.ts";
import { Output } from "../../cli/terminal/output.ts";
import { productName } from "../../lambda/base/contract.ts";

const width = 100;

const silent: Io = {
  stdout: new Output({ write: () => undefined }),
  stderr: new Output({ write: () => undefined }),
  readInput: async () => "",
  env: {},
  cwd: ".",
  interrupted: new AbortController().signal,
};

const makers = await everyCommand();

/** The commands that the reference tells of. */
export const documentedCommands = (): readonly Command[] =>
  programOf(makers, silent, () => undefined).commands;

/** The reference of the command line: what each command is for, and its examples. The rest is what `--help` says. */
export function cliReference(): string {
  const commands = documentedCommands();
  const rows = commands.map(
    (command) =>
      `| [${command.name()}](#${command.name()}) | ${command.summary() || command.description()} |`,
  );
  return `<!-- \`npm run generate\` writes this file from the help of the commands. -->

# The command line

\`npx ${productName} COMMAND\`, in a clone of the project, or in a folder where the package is installed. Where the package is on the PATH, so is a plugin of kubectl: \`kubectl node-lifecycle COMMAND\`. \`NO_COLOR=1\` switches colours off.

\`npx ${productName} COMMAND --help\` has the options of a command and the rights that it needs. [Output for programs](output.md) has what \`--json\` writes, and the exit codes of every command: 0 done, 1 something broke, 2 wrong usage, 3 not done.

| Command | What it does |
| --- | --- |
${rows.join("\n")}

${commands.map(section).join("\n")}`;
}

const section = (command: Command): string => `## ${command.name()}

\`\`\`text
${examplesOf(command)}
\`\`\`
`;

/** The examples in the help of a command, without their indent. */
function examplesOf(command: Command): string {
  const [, examples = ""] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(helpOf(command)) ?? [];
  return examples.replaceAll(/^ {2}/gm, "").trimEnd();
}

/** The help of a command, as it writes it. */
export function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
    getOutHelpWidth: () => width,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}
