import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { legibleLines } from "../../lambda/base/legible.ts";
import { tryJson } from "../../lambda/base/try-json.ts";
import { textOf } from "../../lib/cluster-file/layers.ts";
import { Refusal } from "../../lib/refusal.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { clusterFileOf } from "./cluster-file-of.ts";
import { type GivenFile, isGivenFile } from "./given-file-schema.ts";

/** The existing file of a cluster. */
export function tryGivenFile(path: string, { cwd }: Io): GivenFile | undefined {
  const at = join(cwd, path);
  if (!existsSync(at)) return undefined;
  const remedy = "correct it, or move it away and repeat this";
  const value = tryJson(givenText(at, path, remedy));
  if (isGivenFile(value)) return value;
  throw new CommandFailure(`${path} is not the JSON of a cluster's file`, remedy);
}

function givenText(at: string, path: string, remedy: string): string {
  try {
    return textOf(at, path);
  } catch (cause) {
    throw cause instanceof Refusal ? unread(cause, remedy) : cause;
  }
}

const unread = (cause: Refusal, remedy: string): CommandFailure =>
  new CommandFailure(cause.message, remedy, { cause });

export function writeFile(path: string, file: object, { cwd }: Io): void {
  const at = join(cwd, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, legibleLines(`${JSON.stringify(file, null, 2)}\n`));
}

/** The path of a cluster's file. It includes the Region if the name without it belongs to a cluster of another Region. */
export function pathOf(name: string, region: string, io: Io): string {
  const its = regionOfFile(name, io);
  return its === undefined || its === region ? usualPath(name) : `clusters/${name}.${region}.json`;
}

/** The Region of the cluster whose file has this name. */
export const regionOfFile = (name: string, io: Io): string | undefined =>
  tryGivenFile(usualPath(name), io)?.cluster?.region;

const usualPath = (name: string): string => `clusters/${name}.json`;

/** Updates a cluster's existing file: shows the changes, asks for consent, and keeps a copy. */
export async function bringUp(
  {
    path,
    force,
    file,
    ...change
  }: BroughtUp & {
    readonly path: string;
    /** Writes without asking. */
    readonly force?: boolean;
  },
  io: Io,
): Promise<ExitCode> {
  tell(path, change, io);
  if (change.changes.length === 0) return exitCodes.done;
  if (!force && !(await mayWrite(io))) {
    const way = io.readLine === undefined ? "; --force writes this without asking" : "";
    io.stderr.writeLine(`${path} stays as it is${way}`);
    return exitCodes.notDone;
  }
  const at = join(io.cwd, path);
  copyFileSync(at, `${at}.bak`);
  writeFile(path, file, io);
  io.stdout.writeLine(`${path} written; ${path}.bak is how it was`);
  return exitCodes.done;
}

function tell(path: string, { changes, remarks }: Omit<BroughtUp, "file">, io: Io): void {
  const head =
    changes.length === 0
      ? `${path} has all of it already`
      : `${path} would change; everything else stays as it is there:`;
  io.stdout.writeLine(head, ...changes);
  tellRemarks(remarks, io);
}

export function tellRemarks(remarks: readonly string[], { stderr }: Io): void {
  for (const remark of remarks) stderr.writeLine(`note: ${remark}`);
}

/** Asks the user at the terminal. Without a terminal the answer is no. */
async function mayWrite({ stderr, readLine }: Io): Promise<boolean> {
  if (readLine === undefined) return false;
  stderr.write("Write this? [y/N] ");
  return /^y(es)?$/i.test((await readLine()).trim());
}

/** The cluster's file as the account says, with remarks. */
export interface DiscoveredFile {
  readonly file: ReturnType<typeof clusterFileOf>;
  readonly remarks: readonly string[];
}

/** A cluster's file after its update. */
interface BroughtUp {
  readonly file: GivenFile;
  readonly changes: readonly string[];
  readonly remarks: readonly string[];
}

const lists = ["groups", "nodeRoleArns", "launchTemplateIds"] as const;

/** Updates a cluster's file with what AWS says about the cluster and the groups in the file, and keeps everything else. */
export function broughtUp(given: GivenFile, { file: found, remarks }: DiscoveredFile): BroughtUp {
  const { subnetIds, ...facts } = found.cluster;
  // The user may have removed subnets without a route.
  const cluster = { subnetIds, ...given.cluster };
  const now = Object.entries({ ...cluster, ...facts });
  const replaced = now.filter(([key, value]) => !same(given.cluster?.[key], value));
  const additions = lists.map((key) => [key, without(found[key], given[key])] as const);
  const longer = additions.filter(([, added]) => added.length > 0);
  return {
    file: {
      ...given,
      cluster: { ...given.cluster, ...Object.fromEntries(replaced) },
      ...Object.fromEntries(longer.map(([key, added]) => [key, [...(given[key] ?? []), ...added]])),
    },
    changes: [
      ...replaced.map(
        ([key, value]) =>
          `  cluster.${key}: ${shown(given.cluster?.[key])} becomes ${JSON.stringify(value)}`,
      ),
      ...longer.map(([key, added]) => `  ${key}: also ${added.join(", ")}`),
    ],
    remarks: [
      ...remarks,
      ...lists
        .filter((key) => found[key] !== undefined)
        .flatMap((key) => without(given[key], found[key]).map((one) => superfluous(key, one))),
    ],
  };
}

const superfluous = (key: (typeof lists)[number], one: string): string =>
  key === "groups"
    ? `"groups" names ${one}: there is no such group, or EKS manages it`
    : `none of the file's groups has ${one} in "${key}": take it out, unless a group with the groupTag has it`;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const without = (all: readonly string[] = [], some: readonly string[] = []) =>
  all.filter((one) => !some.includes(one));
