import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterConfig, readClusterConfig } from "./cluster-config-schema.ts";
import { projectFolder } from "./project-folder.ts";
import { Refusal } from "./refusal.ts";

const clusters = join(projectFolder, "clusters");

/** Reads `clusters/NAME.json`. */
export function clusterFile(name: unknown): ClusterConfig {
  const names = readdirSync(clusters)
    .filter((file) => file.endsWith(".json") && !file.endsWith(".schema.json"))
    .map((file) => file.slice(0, -".json".length));
  if (typeof name !== "string" || !names.includes(name))
    throw new Refusal(
      `there is no clusters/${String(name ?? "NAME")}.json; -c cluster=${names.join(" or -c cluster=")} will do`,
    );
  return readClusterConfig(
    readFileSync(join(clusters, `${name}.json`), "utf8"),
    `clusters/${name}.json`,
  );
}
