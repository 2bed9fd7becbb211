import { type Command, Option } from "commander";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { Refusal } from "../../lib/refusal.ts";
import { CommandFailure } from "../command-failure.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import { type Failure, failureOf } from "../failure-of.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { fileNamesIn, reachIn, readFileIn } from "./cluster-files.ts";

/** A cluster with a file, and how a command reaches it. */
export interface FleetCluster {
  readonly name: string;
  readonly options: ConnectionOptions;
}

/** The option `--all`, instead of a cluster's name. */
export const allOption = (): Option =>
  new Option(
    "--all",
    "every cluster that has a file in clusters/, by the Region and the profile there",
  ).conflicts(["kubeconfig", "context", "stack", "queueUrl", "region", "profile"]);

/** The name of a cluster, or `undefined` for all. Ends with a usage error unless exactly one is given. */
export function oneOrAll(
  name: string | undefined,
  { all }: { readonly all?: boolean },
  command: Command,
): string | undefined {
  if ((name === undefined) === (all === true)) return name;
  const what = name === undefined ? "missing required argument 'cluster'" : `${name} is one of all`;
  return command.error(`error: ${what}: name a cluster, or --all`, { exitCode: exitCodes.usage });
}

// Each cluster takes a few connections.
const atOnce = 8;

/**
 * Runs some work for every cluster with a file, several at the same time. A cluster that fails is reported, and does not
 * stop the others.
 */
export async function ofAll(
  io: Io,
  { json = false }: ConnectionOptions,
  {
    work,
    failed,
  }: {
    readonly work: (member: FleetCluster) => Promise<ExitCode>;
    readonly failed: (name: string, failure: Failure) => void;
  },
): Promise<ExitCode> {
  const workOn = async (file: string) => work(memberOf(file, io.cwd, json));
  const failedWith = (name: string, cause: unknown): ExitCode => {
    const failure = failureOf(cause, []);
    if (failure === "none") return exitCodes.done;
    const message = `${name}: ${failure.message}`;
    if (json) printJson(io.stdout, { kind: "error", ...failure, message });
    else failed(name, failure);
    return failure.exitCode;
  };
  const codes = await sideBySide(filesIn(io.cwd), atOnce, (name) =>
    workOn(name).catch((cause) => failedWith(name, cause)),
  );
  // A known problem is worse than something that could not be read.
  return codes.includes(exitCodes.notDone) ? exitCodes.notDone : worstOf(codes);
}

function filesIn(cwd: string): readonly string[] {
  const own = fileNamesIn(cwd).filter((name) => name !== "sample");
  if (own.length > 0) return own;
  throw new CommandFailure(
    "there is no cluster with a file in clusters/",
    "run it in the project's folder, or name a cluster",
  );
}

function memberOf(file: string, cwd: string, json: boolean): FleetCluster {
  try {
    const { config } = readFileIn(cwd, file);
    return { name: config.cluster.name, options: { json, ...reachIn(config) } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw unfit(cause);
  }
}

const unfit = (cause: Refusal) =>
  new CommandFailure(
    cause.onOneLine,
    "correct it: clusters/cluster.schema.json says what may be there",
    { cause },
  );
