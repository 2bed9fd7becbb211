import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { projectFolder } from "../project-folder.ts";
import { Refusal } from "../refusal.ts";
import { clusterNames } from "./layers.ts";
import { type ReadFile, readClusterFile } from "./read-cluster-config.ts";

/** A cluster's file, by its name in `clusters/`. */
export interface NamedFile extends ReadFile {
  readonly name: string;
}

/** What somebody chooses of the clusters with a file. */
export interface Choice {
  /** Their names, with commas between them. @default all */
  readonly cluster?: unknown;
  /** The name of a wave. @default the clusters of every wave, and those of none */
  readonly wave?: unknown;
}

// Its account and its network are made up.
const example = "sample";

/** Reads the files of the chosen clusters; of all, but for the sample, if nobody chooses. */
export function clusterFiles(
  { cluster, wave }: Choice,
  folder = join(projectFolder, "clusters"),
): readonly NamedFile[] {
  const names = clusterNames(folder);
  const known = `the clusters with a file are: ${names.join(", ")}`;
  const chosen = chosenOf(cluster, names, known);
  // One that is misnamed would silently say nothing to those that are chosen.
  for (const name of names.filter((one) => one.startsWith("defaults"))) fileOf(name, folder);
  const files = chosen.map((name) => fileOf(name, folder));
  const inWave = files.filter(({ config }) => wave === undefined || config.wave === wave);
  if (inWave.length > 0) return inWave;
  if (wave === undefined) throw new Refusal(`name a cluster with -c cluster=NAME; ${known}`);
  const waves = new Set(files.flatMap(({ config }) => config.wave ?? []));
  throw new Refusal(
    `no cluster is in wave ${JSON.stringify(wave)}; the waves are: ${[...waves].join(", ") || "none"}`,
  );
}

function chosenOf(cluster: unknown, names: readonly string[], known: string): readonly string[] {
  if (cluster === undefined) return names.filter((name) => name !== example);
  const wanted = typeof cluster === "string" && cluster !== "" ? cluster.split(",") : [];
  for (const name of wanted)
    if (!names.includes(name)) throw new Refusal(`there is no clusters/${name}.json; ${known}`);
  return [...new Set(wanted)];
}

function fileOf(name: string, folder: string): NamedFile {
  const path = join(folder, `${name}.json`);
  const told = relative(join(folder, ".."), path);
  return { name, ...readClusterFile(readFileSync(path, "utf8"), told, folder) };
}
