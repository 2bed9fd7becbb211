import type { Command } from "commander";
import { addAwsOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

/** The options that name a real cluster, where nothing is changed. */
export interface RealOptions
  extends Pick<ConnectionOptions, "context" | "json" | "kubeconfig" | "profile" | "region"> {
  readonly cluster?: string;
  readonly dryRun?: true;
}

/** Adds the options for a real cluster. */
export const addRealOptions = (command: Command): Command =>
  addAwsOptions(command)
    .option("--dry-run", "say what the function would do in a real cluster, and change nothing")
    .option("--kubeconfig <file>", "the real cluster, by a file; only with --dry-run")
    .option("--context <name>", "the real cluster, by a context; only with --dry-run")
    .option(
      "--cluster <name>",
      "the real cluster in EKS; the settings are those of its deployment",
    );

export const isReal = ({ json: _, ...given }: RealOptions): boolean =>
  realOptions.some((name) => given[name] !== undefined);

const realOptions = ["kubeconfig", "context", "cluster", "region", "profile", "dryRun"] as const;

/** Tries an event on a real cluster. Refuses options that only the sandbox supports. */
export async function replayForReal(
  messages: readonly SavedMessage[],
  given: RealOptions,
  command: Command,
  io: Io,
): Promise<ExitCode> {
  const misuse = tryMisuse(given, command);
  if (misuse !== undefined) return command.error(`error: ${misuse}`, { exitCode: exitCodes.usage });
  // A replay in the sandbox does not need this module.
  const { replayOnCluster } = await import("../drain/try-event.ts");
  return replayOnCluster({ messages, ...given }, io);
}

function tryMisuse(given: RealOptions, command: Command): string | undefined {
  if (given.dryRun === undefined) return onlyDry;
  if ([given.kubeconfig, given.context, given.cluster].every((one) => one === undefined))
    return "--dry-run is for a real cluster: name it with --kubeconfig or --cluster";
  const foreign = sandboxOptions.filter((name) => command.getOptionValueSource(name) === "cli");
  return foreign.length === 0
    ? undefined
    : `${foreign.map(flagOf).join(", ")}: only in the sandbox, not in a real cluster`;
}

const sandboxOptions = [
  "via",
  "adopt",
  "break",
  "drainTimeout",
  "launchTimeout",
  "timeout",
  "html",
];
const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

// The function works on an event once it is in its queue. A real replay would be a second worker with the same token, and
// could end an instance while the first still drains it.
const onlyDry =
  "in a real cluster an event is replayed with --dry-run only, because a real replay would complete a hook by a saved token; to drain a node run `drain NODE`, to have the function work on a dead letter again run `dead-letters --redrive`";
