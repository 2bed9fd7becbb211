import { join, relative } from "node:path";
import { projectFolder } from "../project-folder.ts";
import { Refusal } from "../refusal.ts";
import type { ClusterConfig } from "./cluster-config-schema.ts";
import { clusterNames, textOf } from "./layers.ts";
import { region } from "./name-schema.ts";
import {
  placeSaid,
  type ReadFile,
  readClusterFile,
  type UncheckedPlace,
} from "./read-cluster-config.ts";

/** A cluster's file, by its name in `clusters/`. */
export interface NamedFile extends ReadFile {
  readonly name: string;
}

/** Which clusters to deploy, of those with a file. */
export interface Choice {
  /** Their names, with commas between them. @default all */
  readonly cluster?: unknown;
  /** The name of a wave. @default the clusters of every wave, and those of none */
  readonly wave?: unknown;
}

// Its account and its network do not exist.
const example = "sample";

/** Reads the files of the chosen clusters; by default of all except the sample. */
export function clusterFiles(
  { cluster, wave }: Choice,
  folder = join(projectFolder, "clusters"),
): readonly NamedFile[] {
  const names = clusterNames(folder);
  const known = `the clusters with a file are: ${names.join(", ")}`;
  const chosen = chosenOf(cluster, names, known);
  const files = chosen.map((name) => fileOf(name, folder));
  const inWave = files.filter(({ config }) => wave === undefined || config.wave === wave);
  const places = names.filter((one) => one !== example).flatMap((one) => placeIn(one, folder));
  for (const file of inWave) {
    assertRegion(file);
    assertAlone(file, places);
  }
  if (inWave.length > 0) return inWave;
  if (cluster === undefined && wave === undefined) throw new NothingChosen(known);
  if (wave === undefined) throw new Refusal(unnamed(known));
  if (cluster !== undefined && files.length > 0) throw apart(files, wave);
  const waves = new Set(files.flatMap(({ config }) => config.wave ?? []));
  throw new Refusal(
    `no cluster is in wave ${JSON.stringify(wave)}; the waves are: ${[...waves].join(", ") || "none"}`,
  );
}

const unnamed = (known: string): string => `name a cluster with -c cluster=NAME; ${known}`;

/** Nobody has named a cluster, and there is no file but the sample's, as in a fresh clone. */
export class NothingChosen extends Refusal {
  constructor(known: string) {
    super(unnamed(known));
  }
}

function chosenOf(cluster: unknown, names: readonly string[], known: string): readonly string[] {
  if (cluster === undefined) return names.filter((name) => name !== example);
  const wanted =
    typeof cluster === "string" && cluster !== ""
      ? cluster.split(",").map((one) => one.trim())
      : [];
  for (const name of wanted)
    if (!names.includes(name)) throw new Refusal(`there is no clusters/${name}.json; ${known}`);
  return [...new Set(wanted)];
}

function apart(files: readonly NamedFile[], wave: unknown): Refusal {
  const asked = JSON.stringify(wave);
  const are = files.map(
    ({ name, config: { wave: its } }) => `${name} is in ${its ? JSON.stringify(its) : "no wave"}`,
  );
  return new Refusal(
    `-c cluster and -c wave have no cluster in common: none of those that are named is in wave ${asked} (${are.join(", ")}); leave one of the two out`,
  );
}

/** Refuses a file whose name has another Region than its cluster. */
function assertRegion({ name, config: { cluster } }: NamedFile): void {
  const [, named] = /\.(.*)$/.exec(name) ?? [];
  if (named === cluster.region || !region.safeParse(named).success) return;
  throw new Refusal(
    `clusters/${name}.json is for a cluster in ${named} by its name, and says cluster.region of ${cluster.region}; correct either`,
  );
}

/** Refuses a second file for the same cluster: each deployment would replace the stack of the other. */
function assertAlone(
  { name, config: { cluster } }: NamedFile,
  places: readonly ClusterFilePlace[],
): void {
  const twin = places.find((one) => one.file !== name && isSame(one, cluster));
  if (twin === undefined || name === example) return;
  throw new Refusal(
    `clusters/${name}.json and clusters/${twin.file}.json are both for the cluster ${cluster.name} in ${cluster.region}; one file with all groups will do (each has to say cluster.account if they are in two accounts)`,
  );
}

interface ClusterFilePlace extends UncheckedPlace {
  /** The name of the file. */
  readonly file: string;
}

/** Whether two files may be for the same cluster. Files without an account may be for any account. */
const isSame = (
  one: ClusterFilePlace,
  { name, region: at, account }: ClusterConfig["cluster"],
): boolean =>
  one.name === name &&
  one.region === at &&
  (one.account === undefined || account === undefined || one.account === account);

function placeIn(file: string, folder: string): readonly ClusterFilePlace[] {
  try {
    return [{ file, ...placeSaid(...textIn(file, folder), folder) }];
  } catch (cause) {
    // A file that cannot be read is not deployed either.
    if (cause instanceof Refusal) return [];
    throw cause;
  }
}

const fileOf = (name: string, folder: string): NamedFile => ({
  name,
  ...readClusterFile(...textIn(name, folder), folder),
});

function textIn(name: string, folder: string): [text: string, shown: string] {
  const path = join(folder, `${name}.json`);
  const shown = relative(join(folder, ".."), path);
  return [textOf(path, shown), shown];
}
