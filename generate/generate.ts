import { readFileSync, writeFileSync } from "node:fs";
import { clusterConfigJsonSchema } from "../lib/cluster-file/cluster-config-schema.ts";
import { withSettingsTable } from "./settings-table.ts";

const schema = `${JSON.stringify(clusterConfigJsonSchema(), null, 2)}\n`;

writeFileSync("README.md", withSettingsTable(readFileSync("README.md", "utf8")));
writeFileSync("clusters/cluster.schema.json", schema); // npm's script formats it
