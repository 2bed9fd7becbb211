import { Command } from "commander";
import { productName, productVersion } from "../lambda/base/contract.ts";
import { tryNearest } from "../lib/nearest.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import * as subjects from "./own-commands.ts";

/** Makes a command that reads and writes there, and tells its exit code. */
type CommandMaker = (io: Io, ended: (code: ExitCode) => void) => Command;

type Commands = Readonly<Record<string, () => Promise<CommandMaker>>>;

/** The commands of every deployment. Each loads its module when it is needed, because all modules together take a second of CPU. */
const common: Commands = {
  completion: async () => (await import("./completion/completion-command.ts")).completionCommand,
  "dead-letters": async () =>
    (await import("./dead-letters/dead-letters-command.ts")).deadLettersCommand,
  doctor: async () => (await import("./doctor/doctor-command.ts")).doctorCommand,
  drain: async () => (await import("./drain/drain-command.ts")).drainCommand,
  evacuate: async () => (await import("./evacuate/evacuate-command.ts")).evacuateCommand,
  init: async () => (await import("./init/init-command.ts")).initCommand,
  logs: async () => (await import("./timeline/logs-command.ts")).logsCommand,
  manifests: async () => (await import("./manifests/manifests-command.ts")).manifestsCommand,
  plan: async () => (await import("./plan/plan-command.ts")).planCommand,
  replay: async () => (await import("./replay/replay-command.ts")).replayCommand,
  resend: async () => (await import("./resend/resend-command.ts")).resendCommand,
  status: async () => (await import("./status/status-command.ts")).statusCommand,
  timeline: async () => (await import("./timeline/timeline-command.ts")).timelineCommand,
  verify: async () => (await import("./verify/verify-command.ts")).verifyCommand,
};

const own: readonly Commands[] = Object.values(subjects).map((one) => one.commands);

/** All commands, in the order of the alphabet. */
const commands: Commands = Object.fromEntries(
  [common, ...own].flatMap(Object.entries).toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

/** Loads all commands. */
export const everyCommand = (): Promise<readonly CommandMaker[]> =>
  Promise.all(Object.values(commands).map((load) => load()));

/** Loads the commands that a command line needs: the one that it names, none for the version, and otherwise all. */
export async function commandsFor(argv: readonly string[]): Promise<readonly CommandMaker[]> {
  const [name = "", ...others] = argv.filter((word) => word !== "--json");
  if (["--version", "-V"].includes(name) && others.length === 0) return [];
  const own = Object.hasOwn(commands, name) && name !== knowsAll ? commands[name] : undefined;
  return own === undefined ? everyCommand() : [await own()];
}

// Its scripts have the words of all commands.
const knowsAll = "completion";

/** The command line with these commands. */
export function programOf(
  makers: readonly CommandMaker[],
  io: Io,
  ended: (code: ExitCode) => void,
): Command {
  const program = new Command(io.calledAs ?? productName)
    .description("Drains EKS nodes before their instances end.")
    .version(productVersion)
    .helpCommand("help [command]", "show this, or the help of a command")
    .addHelpText("before", ({ error, command }) => (error ? refuseUnknown(command) : ""))
    .hook("preAction", async (_, command) => {
      refuseEmpty(command);
      const { reachByFile } = await import("./fleet/cluster-files.ts");
      reachByFile(command, io);
    });
  for (const make of makers) program.addCommand(make(io, ended));
  return program;
}

/** Commander answers the help of an unknown command as if none were named. */
function refuseUnknown(program: Command): string {
  const [, name] = program.args;
  if (name === undefined) return "";
  const nearest = tryNearest(
    name,
    program.commands.map((command) => command.name()),
  );
  const hint = nearest === undefined ? "" : `\n(Did you mean ${nearest}?)`;
  return program.error(`error: unknown command '${name}'${hint}`, { exitCode: exitCodes.usage });
}

/** An unset shell variable becomes an empty text, which is not a valid name. */
function refuseEmpty(command: Command): void {
  const what = emptyIn(command);
  if (what === undefined) return;
  const remedy = "give its value, and see whether a variable of your shell has one";
  command.error(`error: ${what} is empty: ${remedy}`, { exitCode: exitCodes.usage });
}

function emptyIn(command: Command): string | undefined {
  const { args, options, registeredArguments: names } = command;
  const at = args.indexOf("");
  if (at >= 0) return `argument '${(names[at] ?? names.at(-1))?.name()}'`;
  const option = options.find((one) => command.getOptionValue(one.attributeName()) === "");
  return option === undefined ? undefined : `option '${option.flags}'`;
}
