import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { timestamp } from "../../lambda/base/time.ts";
import { logQueries } from "../../lib/watching/log-queries.ts";
import { queryStringOf } from "../../lib/watching/saved-queries.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";
import { type LogRow, readQuery, rowOf } from "./insights-query.ts";

const runbook = readFileSync("docs/runbook.md", "utf8");
const shown = "i-07e9ea9eb19a67337";

/** The queries of the runbook, for an instance of a test. */
const queries = [...runbook.matchAll(/^(?:filter|fields) .*$/gm)].map(([query]) =>
  query.replaceAll(shown, instanceOf(1)),
);

/** The queries that a deployment saves for the journal. */
const saved = Object.values(logQueries)
  .filter(({ log }) => log === "journal")
  .map((query) => queryStringOf(query).toString().replaceAll("\n", " "));

/** The log of two drains at the same time, the first of which is held by a budget, and the second of which has a fault. */
async function logOfTwoDrains(): Promise<readonly LogRow[]> {
  const world = new VirtualWorld({ nodes: 3, settings: { DRAIN_TIMEOUT_SECONDS: "120" } });
  deploy(world, { name: "web", on: { 1: 2 } });
  deploy(world, { name: "other", on: { 2: 1 } });
  world.cluster.addBudget({ name: "web", minAvailable: 2 });
  world.cluster.addBudget({ name: "other", minAvailable: 1 });
  world.faults = ({ what }) =>
    what === `patch nodes ${nodeOf(2)}`
      ? { kind: "cluster-fault", fault: "reset", moment: "before" }
      : { kind: "well" };
  world.terminate(1);
  world.terminate(2);
  await world.work();
  return world.entries.map(({ at, ...entry }) =>
    rowOf(JSON.stringify({ at: timestamp(at), ...entry })),
  );
}

describe("a query of the runbook, or one that is saved,", () => {
  let log: readonly LogRow[] = [];
  const linesOf = (query: string) => readQuery(query).find(log);

  beforeAll(async () => {
    log = await logOfTwoDrains();
  });

  it.each([...queries, ...saved])("finds lines, and shows nothing that they lack: %s", (query) => {
    const lines = linesOf(query);

    expect(lines).not.toEqual([]);
    for (const field of readQuery(query).fields)
      expect(lines.filter((line) => field in line)).not.toEqual([]);
  });

  it("finds the line that says what holds the node of one instance", () => {
    const [query = ""] = queries.filter((text) => text.includes("left.0"));

    const lines = linesOf(query);

    expect(lines).toHaveLength(1);
    expect(lines).toMatchObject([
      {
        kind: "pass-ended",
        "left.0.about": "default/web-1",
        "left.0.why": expect.stringMatching(/^held .* budget/),
      },
    ]);
  });

  it("finds every line of one instance, and none of another", () => {
    const [query = ""] = queries.filter((text) => /^filter instance = "[^"]+" \|/.test(text));

    const lines = linesOf(query);

    expect(lines.map(({ "@message": line }) => line)).toEqual(
      log.filter(({ instance }) => instance === instanceOf(1)).map((line) => line["@message"]),
    );
    expect(new Set(lines.map(({ kind }) => kind))).toContain("pods-seen");
  });

  it("finds the faults, each with its instance", () => {
    const [query = ""] = queries.filter((text) => text.includes('"fault"'));

    expect(linesOf(query).filter(({ instance }) => instance === undefined)).toEqual([]);
    expect(readQuery(query).fields).toContain("instance");
  });
});
