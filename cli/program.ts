import { Command } from "commander";
import { productName, productVersion } from "../lambda/base/contract.ts";
import { tryNearest } from "../lib/nearest.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { deadLettersCommand } from "./dead-letters/dead-letters-command.ts";
import { doctorCommand } from "./doctor/doctor-command.ts";
import { drainCommand } from "./drain/drain-command.ts";
import { evacuateCommand } from "./evacuate/evacuate-command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { reachByFile } from "./fleet/cluster-files.ts";
import { initCommand } from "./init/init-command.ts";
import type { Io } from "./io.ts";
import { manifestsCommand } from "./manifests/manifests-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { replayCommand } from "./replay/replay-command.ts";
import { resendCommand } from "./resend/resend-command.ts";
import { statusCommand } from "./status/status-command.ts";
import { logsCommand } from "./timeline/logs-command.ts";
import { timelineCommand } from "./timeline/timeline-command.ts";
import { upgradeCommand } from "./upgrade/upgrade-command.ts";
import { verifyCommand } from "./verify/verify-command.ts";

const makers = [
  completionCommand,
  deadLettersCommand,
  doctorCommand,
  drainCommand,
  evacuateCommand,
  initCommand,
  logsCommand,
  manifestsCommand,
  planCommand,
  replayCommand,
  resendCommand,
  statusCommand,
  timelineCommand,
  upgradeCommand,
  verifyCommand,
];

/** The command line with all its commands. */
export function programOf(io: Io, ended: (code: ExitCode) => void): Command {
  const program = new Command(io.calledAs ?? productName)
    .description("Drains EKS nodes before their instances end.")
    .version(productVersion)
    .helpCommand("help [command]", "show this, or the help of a command")
    .addHelpText("before", ({ error, command }) => (error ? refuseUnknown(command) : ""))
    .hook("preAction", (_, command) => {
      refuseEmpty(command);
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
