import { Command } from "commander";
import { productName, productVersion } from "../lambda/contract.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { deadLettersCommand } from "./dead-letters/dead-letters-command.ts";
import { discoverCommand } from "./discover/discover-command.ts";
import { doctorCommand } from "./doctor/doctor-command.ts";
import { drainCommand } from "./drain/drain-command.ts";
import { evacuateCommand } from "./evacuate/evacuate-command.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { manifestsCommand } from "./manifests/manifests-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { replayCommand } from "./replay/replay-command.ts";
import { statusCommand } from "./status/status-command.ts";
import { logsCommand } from "./timeline/logs-command.ts";
import { timelineCommand } from "./timeline/timeline-command.ts";
import { upgradeCommand } from "./upgrade/upgrade-command.ts";

const makers = [
  completionCommand,
  deadLettersCommand,
  discoverCommand,
  doctorCommand,
  drainCommand,
  evacuateCommand,
  logsCommand,
  manifestsCommand,
  planCommand,
  replayCommand,
  statusCommand,
  timelineCommand,
  upgradeCommand,
];

/** The command line with all its commands. */
export function programOf(io: Io, ended: (code: ExitCode) => void): Command {
  const program = new Command(productName)
    .description("Drains EKS nodes before their instances end.")
    .version(productVersion)
    .helpCommand(false);
  for (const make of makers) program.addCommand(make(io, ended));
  return program;
}
