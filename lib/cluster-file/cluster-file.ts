import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../project-folder.ts";
import { Refusal } from "../refusal.ts";
import type { ClusterConfig } from "./cluster-config-schema.ts";
import { readClusterConfig } from "./read-cluster-config.ts";

const clusters = join(projectFolder, "clusters");

/** Reads `clusters/NAME.json`. */
export function clusterFile(name: unknown): ClusterConfig {
  const names = readdirSync(clusters)
    .filter((file) => file.endsWith(".json") && !file.endsWith(".schema.json"))
    .map((file) => file.slice(0, -".json".length));
  const known = `the clusters with a file are: ${names.join(", ")}`;
  if (typeof name !== "string" || name === "")
    throw new Refusal(`name a cluster with -c cluster=NAME; ${known}`);
  if (!names.includes(name)) throw new Refusal(`there is no clusters/${name}.json; ${known}`);
  return readClusterConfig(
    readFileSync(join(clusters, `${name}.json`), "utf8"),
    `clusters/${name}.json`,
  );
}
