/** Measures everything, and writes the figures into bench/results.json and docs/development/performance.md: `npm run bench -- --help`. */
import { readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { handlerOption } from "./option-values.ts";
import { type Figures, type Part, run, tableOf } from "./part.ts";
import { drainColumns } from "./result-table.ts";

const parts: Readonly<Record<string, Part>> = {
  cold: {
    command: ["node", "tools/bench/cold.ts"],
    columns: [
      ["What", "what"],
      ["Pods", "pods"],
      ["Share of a core", "share"],
      ["Import, ms", "ms"],
      ["Asks for an event, ms", "ready"],
      ["CPU in all, ms", "cpu"],
      ["CPU a pod beyond the import, ms", "cpuOfPod"],
      ["Memory, MB", "mb"],
      ["First mark, ms", "marked"],
      ["Last eviction, ms", "evicted"],
      ["The script's CPU, ms", "scriptCpu"],
      ["The script's last eviction, ms", "scriptEvicted"],
      ["Of the script's time", "ratio"],
      ["Lowest and highest pair", "spread"],
    ],
  },
  drain: {
    command: [
      "node",
      "tools/bench/drain.ts",
      "--json",
      "--pods",
      "100,250",
      "--ends",
      "1",
      "--shares",
      "all,0.29",
      "--trials",
      "2",
    ],
    columns: drainColumns,
  },
  nodes: {
    command: ["node", "tools/bench/many-nodes.ts"],
    columns: [
      ["Nodes", "nodes"],
      ["Pods a node", "podsOfNode"],
      ["Requests a pod", "requestsPerPod"],
      ["Requests a node besides evictions", "besides"],
      ["409", "conflicts"],
      ["429", "refused"],
      ["Receives of a notice", "receives"],
      ["All marked, s", "marked"],
      ["All evicted, s", "evicted"],
      ["All released, s", "released"],
      ["Memory of a process, MB", "memoryMb"],
      ["Read by all, MB", "readMb"],
      ["Processor of all, s", "cpuSeconds"],
    ],
  },
  "big-cluster": {
    command: ["node", "tools/bench/big-cluster.ts"],
    columns: [
      ["Nodes / pods / budgets / attachments", "cluster"],
      ["Share of a core", "share"],
      ["Who", "who"],
      ["Drains", "drains"],
      ["Read, MB", "readMb"],
      ["Memory, MB", "memoryMb"],
      ["Processor, s", "cpuSeconds"],
      ["Requests a pod", "requestsPerPod"],
      ["429", "refused"],
      ["409", "conflicts"],
      ["First mark, s", "markAfter"],
      ["First eviction after the first mark, s", "firstEvictionAfterMark"],
      ["All released, s", "released"],
      ["Of the small cluster's time", "ratio"],
    ],
  },
};

const options = new Command("bench")
  .description(
    "Measures the parts, one after the other, and writes docs/development/performance.md.",
  )
  .option("--parts <names>", "which parts", (text) => text.split(","), Object.keys(parts))
  .option(...handlerOption)
  .option("--no-run", "only write the tables again, from tools/bench/results.json")
  .parse()
  .opts<{ parts: readonly string[]; run: boolean; nodeTerminationHandler?: string }>();

const resultsFile = new URL("results.json", import.meta.url);
const document = new URL("../../docs/development/performance.md", import.meta.url);

/** Puts a table into the place of the one before, between the marks of its part. */
function inserted(text: string, name: string, table: string): string {
  const place = new RegExp(`(<!-- bench ${name} -->\n)[^]*?(\n<!-- end -->)`);
  if (!place.test(text))
    throw new Error(`docs/development/performance.md has no place for part ${name}`);
  return text.replace(place, (_, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

type Results = Readonly<Record<string, readonly Figures[]>>;

const results = (): Results => JSON.parse(readFileSync(resultsFile, "utf8")) as Results;

const { parts: chosen, run: mode, nodeTerminationHandler: handler } = options;

/** The command of a part, with the handler if it is given and measured there. */
const commandOf = (name: string, { command }: Part): readonly string[] =>
  name === "drain" && handler !== undefined
    ? [...command, "--node-termination-handler", handler]
    : command;

for (const name of chosen) {
  const part = parts[name];
  if (part === undefined) throw new Error(`no part ${name}: ${Object.keys(parts).join(", ")}`);
  const figures = mode
    ? await run({ ...part, command: commandOf(name, part) })
    : (results()[name] ?? []);
  writeFileSync(resultsFile, `${JSON.stringify({ ...results(), [name]: figures }, null, 2)}\n`);
  const text = readFileSync(document, "utf8");
  writeFileSync(document, inserted(text, name, tableOf(part, figures)));
}
