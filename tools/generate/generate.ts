import { readFileSync, writeFileSync } from "node:fs";
import { outputJsonSchema } from "../../cli/json/output-schema.ts";
import { eventTable, figureTable } from "../../journal/report-tables.ts";
import { clusterConfigJsonSchema } from "../../lib/cluster-file/cluster-config-schema.ts";
import { buildFunctions } from "../bundle/build-functions.ts";
import { cliReference } from "./cli-reference.ts";
import { withExitCodes } from "./exit-codes.ts";
import { noticeOf } from "./notice.ts";
import { withRightsTable } from "./rights-table.ts";
import { withSettingsTable } from "./settings-table.ts";
import { tableOf, withTable } from "./table.ts";

const code = (text: string): string => `\`${text}\``;

const places = { node: "the node", pod: "the pod", owner: "the pods' controller" } as const;

// Several entries may be told as the same Event.
const eventKinds = [...new Map(eventTable.map((row) => [row.reason, row])).values()];

/** Writes the list of Events into a document. */
const withEvents = (document: string): string =>
  withTable(
    "Events",
    tableOf([
      ["Reason", "Type", "About", "Recorded", "Meaning"],
      ...eventKinds.map(({ reason, type, on, series: told, meaning }) => [
        code(reason),
        type,
        places[on],
        told,
        meaning,
      ]),
    ]),
    document,
  );

/** Writes the list of metrics into a document. */
const withMetrics = (document: string): string =>
  withTable(
    "metrics",
    tableOf([
      ["Metric", "Unit", "Dimension", "Series at most", "Meaning"],
      ...figureTable.map(({ name, unit, dimension, series, meaning }) => [
        code(name),
        unit,
        dimension === "" ? "–" : code(dimension),
        String(series),
        meaning,
      ]),
    ]),
    document,
  );

/** Writes a schema as text; npm's script formats it. */
const write = (path: string, schema: object): void =>
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);

writeFileSync("NOTICE", noticeOf(await buildFunctions()));
writeFileSync("docs/settings.md", withSettingsTable(readFileSync("docs/settings.md", "utf8")));
writeFileSync("docs/events.md", withEvents(readFileSync("docs/events.md", "utf8")));
writeFileSync("docs/metrics.md", withMetrics(readFileSync("docs/metrics.md", "utf8")));
writeFileSync("docs/rights.md", withRightsTable(readFileSync("docs/rights.md", "utf8")));
writeFileSync("docs/cli.md", cliReference());
writeFileSync("docs/output.md", withExitCodes(readFileSync("docs/output.md", "utf8")));
write("clusters/cluster.schema.json", clusterConfigJsonSchema());
write("docs/output.schema.json", outputJsonSchema());
