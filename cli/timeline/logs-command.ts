import { Command } from "commander";
import type { Happening } from "../../journal/happening.ts";
import { progressLines } from "../../journal/progress-line.ts";
import { type Instant, timestamp } from "../../lambda/base/time.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printHappening, printJson } from "../json/print-json.ts";
import { span } from "../terminal/output.ts";
import { progressText } from "../terminal/progress-text.ts";
import { Screen } from "../terminal/screen.ts";
import { addLogOptions, type LogOptions, wantedOf } from "./log-options.ts";
import { conclude, readLog } from "./log-source.ts";

const examples = `
The command needs logs:FilterLogEvents on the log group, and cloudformation:DescribeStacks to find it by the
cluster. "timeline" shows the same entries as one picture.

Examples:
  npx eks-node-lifecycle logs i-0123456789abcdef0 --cluster NAME --follow
  npx eks-node-lifecycle logs i-0123456789abcdef0 --log-group NAME --since 2h
  aws logs tail NAME --since 1h | npx eks-node-lifecycle logs -
  npx eks-node-lifecycle logs FILE --json | jq .kind

Exit codes:
  0  printed
  1  something broke; one line says why
  2  wrong usage
    3  no entry was found; --since looks further back`;

/** The command that prints the entries about an instance, line by line. */
export const logsCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addLogOptions(
    new Command("logs").description("show what the function did with an instance, from its log"),
  )
    .option("--follow", "show new lines as they come, until Ctrl-C")
    .addHelpText("after", examples)
    .action(async (target: string, given: LogOptions, command: Command) => {
      const wanted = await wantedOf(target, given, { command, io });
      const tell = given.json ? jsonTeller(io) : textTeller(io);
      const read = await readLog(wanted, io, tell);
      if (given.json) printJson(io.stdout, { kind: "log", ...read });
      ended(await conclude(read, { ...wanted, target }, io));
    });

type Tell = (happening: Happening) => void;

function jsonTeller({ stdout }: Io): Tell {
  let from: Instant | undefined;
  return (happening) => {
    from ??= happening.at;
    printHappening(stdout, happening, from);
  };
}

function textTeller(io: Io): Tell {
  const screen = new Screen(io);
  let day = "";
  return (happening) => {
    const [date = "", time = ""] = timestamp(happening.at).split("T");
    if (date !== day) screen.write([[span("faint", `${date}, UTC`)]]);
    day = date;
    const head = `${time.slice(0, 10)}${instanceIn(happening)}`;
    for (const line of progressLines(happening))
      screen.write(progressText(head, line, screen.width));
  };
}

/** Only the entries of the function name an instance. */
const instanceIn = (happening: Happening): string =>
  happening.source === "function" && happening.instance !== undefined
    ? ` ${happening.instance}`
    : " ".repeat(" i-0123456789abcdef0".length);
