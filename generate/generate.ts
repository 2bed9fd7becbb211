import { readFileSync, writeFileSync } from "node:fs";
import { buildFunctions } from "../bundle/build-functions.ts";
import { clusterConfigJsonSchema } from "../lib/cluster-file/cluster-config-schema.ts";
import { noticeOf } from "./notice.ts";
import { withSettingsTable } from "./settings-table.ts";

const schema = `${JSON.stringify(clusterConfigJsonSchema(), null, 2)}\n`;

writeFileSync("NOTICE", noticeOf(await buildFunctions()));
writeFileSync("README.md", withSettingsTable(readFileSync("README.md", "utf8")));
writeFileSync("clusters/cluster.schema.json", schema); // npm's script formats it
