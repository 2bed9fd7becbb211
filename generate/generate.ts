import { readFileSync, writeFileSync } from "node:fs";
import { buildFunctions } from "../bundle/build-functions.ts";
import { outputJsonSchema } from "../cli/json/output-schema.ts";
import { clusterConfigJsonSchema } from "../lib/cluster-file/cluster-config-schema.ts";
import { cliReference } from "./cli-reference.ts";
import { noticeOf } from "./notice.ts";
import { withEvents, withMetrics } from "./report-tables.ts";
import { withSettingsTable } from "./settings-table.ts";

/** Writes a schema as text; npm's script formats it. */
const write = (path: string, schema: object): void =>
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);

writeFileSync("NOTICE", noticeOf(await buildFunctions()));
writeFileSync("docs/settings.md", withSettingsTable(readFileSync("docs/settings.md", "utf8")));
writeFileSync("docs/events.md", withEvents(readFileSync("docs/events.md", "utf8")));
writeFileSync("docs/metrics.md", withMetrics(readFileSync("docs/metrics.md", "utf8")));
writeFileSync("docs/cli.md", cliReference());
write("clusters/cluster.schema.json", clusterConfigJsonSchema());
write("docs/output.schema.json", outputJsonSchema());
