import { Argument, Command, Option } from "commander";
import { Fault } from "../../lambda/base/fault.ts";
import { type Duration, hours, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { type Breakage, breakages } from "../../sandbox/scenario.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import * as subjects from "../own-commands.ts";
import { remedyFor } from "../remedies.ts";
import { wholeNumber } from "../whole-number.ts";
import { type EventFile, readEventFile } from "./event-file.ts";
import { justCome } from "./just-come.ts";
import { addRealOptions, isReal, type RealOptions, replayForReal } from "./real-cluster.ts";
import { replay } from "./replay.ts";
import { isLaunch, type ReplayRequest } from "./replay-request.ts";
import { demoActionLike, savedActions } from "./saved-action.ts";
import { readSavedEvent, type SavedMessage } from "./saved-event-schema.ts";
import { type OwnReplay, stagedReplay } from "./staged-replay.ts";

const standardInput = "-";

interface ReplayOptions extends RealOptions {
  readonly via: "queue" | "direct";
  readonly adopt?: true;
  readonly break?: Breakage;
  readonly drainTimeout?: Duration;
  readonly launchTimeout?: Duration;
  readonly timeout: Duration;
  readonly html?: string;
}

const examples = `
Examples:
  npx eks-node-lifecycle replay events/demo-ng-terminate.json
  npx eks-node-lifecycle replay events/demo-ng-terminate.json --via direct --json
  npx eks-node-lifecycle replay events/demo-ng-terminate.json --break budget-blocked --drain-timeout 40
  npx eks-node-lifecycle replay events/demo-ng-terminate.json --html drain.html
  npx eks-node-lifecycle replay your-own-event.json --adopt
  npx eks-node-lifecycle replay events/demo-ng-launch.json --break no-node --launch-timeout 40
  npx eks-node-lifecycle replay events/demo-ng-upgrade.json
  npx eks-node-lifecycle replay your-own-event.json --kubeconfig ~/.kube/config --dry-run
  aws sqs receive-message --queue-url URL | npx eks-node-lifecycle replay -

What can be broken:
${Object.entries(breakages)
  .map(([name, meaning]) => `  ${name.padEnd(16)}${meaning}`)
  .join("\n")}

Exit codes:
  0  done: the node is drained and its hook completed
  1  something broke; one line says what, where the message is and what to do
  2  wrong usage
  3  not done: ignored, no node, not in time, or interrupted`;

/** The command that replays a saved event. */
export function replayCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("replay")
    .summary("replay a saved event in a sandbox")
    .description(
      "Replays a saved event in a sandbox: a cluster and its Auto Scaling group on this machine, where the function runs as it is deployed. The event has the time of the replay, however old it is. It needs no AWS account and no cluster.",
    )
    .addArgument(
      new Argument(
        "<event>",
        "file with an SNS event, an SQS batch, received messages or a bare notice, as JSON; - for standard input",
      ),
    )
    .addOption(
      new Option("--via <way>", "how the event gets to the function")
        .choices(["queue", "direct"])
        .default("queue"),
    )
    .option("--adopt", "give the sandbox the account, group, instance and hook of the event")
    .addOption(
      new Option("--break <what>", "break something first").choices(Object.keys(breakages)),
    )
    .addOption(
      new Option("--drain-timeout <seconds>", "how long a drain may take").argParser(
        secondsFrom(drainSettings.timeout.form.least),
      ),
    )
    .addOption(
      new Option("--launch-timeout <seconds>", "how long a node may take to be ready").argParser(
        secondsFrom(30),
      ),
    )
    .addOption(
      new Option("--timeout <seconds>", "end the replay after this time")
        .argParser(secondsFrom(1))
        .default(seconds(120), "120"),
    );
  return addRealOptions(addReports(command))
    .addHelpText("after", examples)
    .action(async (event: string, given: ReplayOptions) => {
      ended(await run({ event, given, command }, io));
    });
}

const addReports = (command: Command): Command =>
  command
    .option("--json", "write one JSON object on each line, the last of which sums up")
    .option("--html <file>", "write the picture into a file that a browser shows");

interface ReplayArguments {
  readonly event: string;
  readonly given: ReplayOptions;
  readonly command: Command;
}

async function run({ event, given, command }: ReplayArguments, io: Io): Promise<ExitCode> {
  const file = await readEvent(event, io);
  if (file.kind === "unknown") return command.error(file.complaint, { exitCode: exitCodes.usage });
  const messages = tryMessages(file.text);
  if (messages instanceof Fault) {
    const remedy = `${remedyFor(messages.code)}; it was not sent`;
    throw new CommandFailure(`${event}: ${messages.message}`, remedy, { cause: messages });
  }
  const own = (await ownReplays()).find(({ isOf }) => messages.some(isOf));
  if (own !== undefined) return ownInSandbox(own, { event, given, command, messages }, io);
  if (isReal(given)) return replayForReal(messages, given, command, io);
  return inSandbox({ event, given, command, messages, text: file.text }, io);
}

/** The replays of messages that are not notices. */
const ownReplays = async (): Promise<readonly OwnReplay[]> =>
  (await Promise.all(Object.values(subjects).map(({ replays }) => replays()))).flat();

/** Replays messages of one subject, which is possible only through the queue. */
async function ownInSandbox(
  { of, stage, timeout: usual }: OwnReplay,
  { event, given, command, messages }: ReadArguments,
  io: Io,
): Promise<ExitCode> {
  const [foreign] = forDrains.filter((name) => command.getOptionValueSource(name) === "cli");
  if (isReal(given) || foreign !== undefined)
    return command.error(notSo(of), { exitCode: exitCodes.usage });
  const isUsual = command.getOptionValueSource("timeout") === "default";
  const timeout = isUsual ? usual : given.timeout;
  const how = { event, timeout, format: formatOf(given), via: "queue", broken: "" } as const;
  const { verdict } = await stagedReplay(how, stage({ event, messages, timeout }), io);
  return verdict.exitCode;
}

const formatOf = ({ json }: ReplayOptions) => (json === true ? "json" : "text");

const forDrains = ["via", "adopt", "break", "drainTimeout", "launchTimeout", "html"];
const notSo = (of: string): string =>
  `error: the event asks for ${of}, and its replay takes --timeout and --json alone: keep the other options for a drain or a launch`;

interface ReadArguments extends ReplayArguments {
  readonly messages: readonly SavedMessage[];
}

function inSandbox(saved: ReadArguments & { readonly text: string }, io: Io): Promise<ExitCode> {
  const { event, given, command, text } = saved;
  const messages = saved.messages.map((one) => justCome(one, systemClock.now()));
  const actions = savedActions({ text, messages });
  if (given.adopt && actions.length > 1)
    return command.error(oneAction(actions.length), { exitCode: exitCodes.usage });
  const action = given.adopt ? (actions[0] ?? demoActionLike()) : demoActionLike(actions[0]);
  const request = requestOf({ event, messages, action }, given);
  if (isLaunch(action) && request.broken === "budget-blocked")
    return command.error(noBudgetInLaunch, { exitCode: exitCodes.usage });
  if (action.instanceIs !== "held" && request.broken === "hook-completed")
    return command.error(noHook, { exitCode: exitCodes.usage });
  return replay(request, io);
}

async function readEvent(event: string, io: Io): Promise<EventFile> {
  if (event !== standardInput) return readEventFile(event, io.cwd);
  return { kind: "read", text: await io.readInput() };
}

function tryMessages(text: string): readonly SavedMessage[] | Fault {
  try {
    return readSavedEvent(text);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const noBudgetInLaunch =
  "error: --break budget-blocked holds up a drain, and this event is of a launch: replay events/demo-ng-terminate.json, or break something else";

const noHook =
  "error: --break hook-completed is for the notice of a lifecycle hook, and this event is of none: replay events/demo-ng-terminate.json, or break something else";

const oneAction = (count: number): string =>
  `error: --adopt takes the event of one lifecycle action, and this file has ${count}: keep one of them`;

type What = Pick<ReplayRequest, "action" | "event" | "messages">;

const requestOf = (what: What, given: ReplayOptions): ReplayRequest => ({
  ...what,
  via: given.via,
  broken: given.break ?? "nothing",
  drainTimeout: given.drainTimeout ?? "as usual",
  launchTimeout: given.launchTimeout ?? "as usual",
  timeout: given.timeout,
  format: formatOf(given),
  page: given.html ?? "",
});

/** A parser for a number of seconds, up to two days. */
const secondsFrom =
  (least: number) =>
  (text: string): Duration =>
    seconds(wholeNumber(least, wholeSeconds(hours(48)), " of seconds")(text));
