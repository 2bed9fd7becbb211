import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { clusterNames, textOf } from "../../lib/cluster-file/layers.ts";
import { type ReadFile, readClusterFile } from "../../lib/cluster-file/read-cluster-config.ts";
import { Refusal } from "../../lib/refusal.ts";
import type { DeploymentOptions } from "../connect/connection-options.ts";
import type { Io } from "../io.ts";

/** The files in `clusters/` for one cluster. */
interface Files {
  readonly fit: ReadFile | undefined;
  /** The problems of files that are named after the cluster. */
  readonly wrong: readonly Refusal[];
}

/** The names of the files in a project's `clusters/` folder. */
export function fileNamesIn(cwd: string): readonly string[] {
  const folder = join(cwd, "clusters");
  return existsSync(folder) ? clusterNames(folder) : [];
}

/** Reads the file of a cluster in a project's folder. */
export function readFileIn(cwd: string, name: string): ReadFile {
  const path = `clusters/${name}.json`;
  return readClusterFile(textOf(join(cwd, path), path), path, join(cwd, "clusters"));
}

/**
 * The file of a cluster in a Region; in any Region if that is `undefined`. A file may have another name than its cluster, so
 * all are read until one fits. Clusters with the same name in two Regions have two.
 */
export function fileOf(cluster: string, region: string | undefined, cwd: string): Files {
  const isNamed = (file: string) => file === cluster || file.startsWith(`${cluster}.`);
  const fits = (one: ReadFile | Refusal): one is ReadFile =>
    !(one instanceof Refusal) &&
    one.config.cluster.name === cluster &&
    (region === undefined || one.config.cluster.region === region);
  const names = fileNamesIn(cwd);
  const own = names.filter(isNamed).map((file) => readOrRefused(cwd, file));
  const wrong = own.filter((one) => one instanceof Refusal);
  const found = own.find(fits);
  if (found !== undefined) return { fit: found, wrong };
  for (const file of names.filter((one) => !isNamed(one))) {
    const read = readOrRefused(cwd, file);
    if (fits(read)) return { fit: read, wrong };
  }
  return { fit: undefined, wrong };
}

function readOrRefused(cwd: string, file: string): ReadFile | Refusal {
  try {
    return readFileIn(cwd, file);
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

/** The access to a cluster, as its file describes it. */
export const reachIn = ({ cluster: { region }, profile, roleArn }: ClusterConfig) => ({
  region,
  ...(profile !== undefined && { profile }),
  ...(roleArn !== undefined && { role: roleArn }),
});

/** Applies the profile and the role of the cluster's file to a command. */
export function reachByFile(command: Command, io: Io): void {
  const cluster = clusterOf(command);
  if (cluster === undefined) return;
  const said = reachOf(cluster, command.opts<DeploymentOptions>(), io);
  for (const [option, value] of Object.entries(said))
    command.setOptionValueWithSource(option, value, "config");
}

/**
 * The access to a cluster by its file, if it has one. A profile that the user gives replaces
 * profile and role.
 */
export function reachOf(
  cluster: string,
  given: Pick<DeploymentOptions, "profile" | "region">,
  { cwd, stderr }: Io,
): Partial<ReturnType<typeof reachIn>> {
  const { fit, wrong } = fileOf(cluster, given.region, cwd);
  for (const { onOneLine } of wrong) stderr.writeLine(`note: not heeded, ${onOneLine}`);
  if (fit === undefined) return {};
  const { region, ...signing } = reachIn(fit.config);
  return { region, ...(given.profile === undefined && signing) };
}

/** The cluster that a command reaches by its name. Commands that create a file need no file. */
function clusterOf(command: Command): string | undefined {
  const { args, registeredArguments: known, options } = command;
  const has = (option: string) => options.some((one) => one.attributeName() === option);
  if (!has("region") || !(has("stack") || has("cluster"))) return undefined;
  const { cluster } = command.opts<{ readonly cluster?: string }>();
  const isCluster = known[0]?.name() === "cluster" || command.name() === "plan";
  return cluster ?? (isCluster && args.length === 1 ? args[0] : undefined);
}
