import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { known, unknown } from "../../../cli/connect/found.ts";
import { summaryLine, summaryOf } from "../../../cli/fleet/summary.ts";
import { main } from "../../../cli/main.ts";
import { productVersion } from "../../../lambda/base/contract.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

const sample = JSON.parse(readFileSync("clusters/sample.json", "utf8")) as { cluster: object };

/** A folder with the files of these clusters. */
function aFolder(...names: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "fleet-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, "clusters"));
  for (const name of names) write(cwd, name, { ...sample, cluster: { ...sample.cluster, name } });
  return cwd;
}

const write = (cwd: string, name: string, file: object) =>
  writeFileSync(join(cwd, "clusters", `${name}.json`), JSON.stringify(file));

const { clusterName: demo } = demoNode;

describe("status of all clusters", () => {
  it("has a row for each cluster with a file, and one that cannot be reached hides no other", async () => {
    await aSite();
    const io = capturedIo({ cwd: aFolder("gone", demo, "sample") });

    expect(await main(["status", "--all"], io)).toBe(1);

    const lines = io.out().split("\n");
    expect(lines).toContainEqual(
      expect.stringMatching(/^demo, eu-west-1: version .*; 1 held.*; 0 dead letters; /),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^gone, eu-west-1: version unknown; .*; not read: /),
    );
    expect(io.out()).not.toContain("sample");
  });

  it("tells programs the same, an object for each cluster", async () => {
    await aSite();
    const io = capturedIo({ cwd: aFolder(demo) });

    await main(["status", "--all", "--json"], io);

    const row = {
      kind: "summary-of-cluster",
      cluster: demo,
      region: "eu-west-1",
      held: 1,
      dead: 0,
    };
    expect(jsonLines(io)).toMatchObject([row]);
  });

  it("reaches a cluster by the profile in its file", async () => {
    const { env } = await aSite();
    const cwd = aFolder();
    write(cwd, demo, { ...sample, profile: "nobody", cluster: { ...sample.cluster, name: demo } });
    const io = capturedIo({ cwd, env });

    expect(await main(["status", "--all", "--json"], io)).toBe(1);

    expect(io.out()).toContain("no credentials of AWS were found");
  });

  it("tells what is wrong in a file, and goes on with the others", async () => {
    await aSite();
    const cwd = aFolder(demo);
    write(cwd, "wrong", { ...sample, drian: {} });
    const io = capturedIo({ cwd });

    expect(await main(["status", "--all"], io)).toBe(1);

    expect(io.out()).toMatch(/^wrong: clusters\/wrong\.json does not fit: .*did you mean "drain"/m);
    expect(io.out()).toMatch(/^demo, /m);
  });

  it.each([
    [[], "missing required argument 'cluster'"],
    [["demo", "--all"], "demo is one of all"],
    [["--all", "--watch"], "cannot be used with option '--watch'"],
    [["--all", "--region", "eu-west-1"], "cannot be used with option '--region"],
  ])("is wrong usage with %j", async (args, message) => {
    const io = capturedIo();
    expect(await main(["status", ...args], io)).toBe(2);
    expect(io.err()).toContain(message);
  });

  it("says where there is no file", async () => {
    const io = capturedIo({ cwd: aFolder("sample") });
    expect(await main(["doctor", "--all"], io)).toBe(1);
    expect(io.err()).toContain("there is no cluster with a file in clusters/");
  });
});

describe("a row of the status of all clusters", () => {
  const status = {
    ...({ kind: "status", cluster: "demo", at: "2026-11-24T01:00:00Z" } as const),
    ...{ held: [], marked: [], upgrades: [], repairs: [], faults: [], gaps: [] },
    queue: { waiting: 0, inFlight: 0, dead: 2 },
  };
  const beside = { region: "eu-west-1", version: known(productVersion), alarms: known([]) };

  it("names a version that is not the program's, and the alarms that go off", () => {
    const row = summaryOf(status, {
      ...beside,
      version: known("0.0.9"),
      alarms: known(["faults"]),
    });
    expect(row).toMatchObject({ behind: true, alarms: ["faults"], dead: 2 });
    expect(summaryLine(row).text).toBe(
      `demo, eu-west-1: version 0.0.9 (this is ${productVersion}); 0 held; 2 dead letters; 1 alarm`,
    );
  });

  it("is good only where nothing is held, dead, ringing, behind or unread", () => {
    const well = { ...status, queue: { ...status.queue, dead: 0 } };
    expect(summaryLine(summaryOf(well, beside)).tone).toBe("good");
    expect(summaryLine(summaryOf(status, beside)).tone).toBe("plain");
    const unread = { ...beside, alarms: unknown("denied", "allow it") };
    expect(summaryLine(summaryOf(well, unread))).toMatchObject({
      tone: "plain",
      text: expect.stringContaining("alarms unknown"),
    });
  });
});

it("doctor of all clusters tells what is not well of each, and its line, with the worst exit code", async () => {
  await aSite();
  const io = capturedIo({ cwd: aFolder(demo, "gone") });

  expect(await main(["doctor", "--all"], io)).toBeGreaterThan(0);

  expect(io.out()).toMatch(/^demo: .*links are well$/m);
  expect(io.out()).toMatch(/^gone: /m);
  expect(io.out()).not.toMatch(/^ok {7}/m);
});
