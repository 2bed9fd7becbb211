import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

const event = "events/demo-ng-upgrade.json";

describe("the replay of an upgrade", () => {
  it("tells each phase and node of six, and how it has ended", async () => {
    const io = capturedIo({ columns: 200, env: { NO_COLOR: "1" } });

    expect(await main(["replay", event], io)).toBe(0);

    expect(io.err()).toBe("");
    const lines = io.out().trimEnd().split("\n");
    const told = (verb: string) =>
      lines.flatMap(
        (line) => new RegExp(`^ +[\\d.:]+(?: s)? {2}${verb} +(\\S.*)`).exec(line)?.[1] ?? [],
      );
    expect(told("scale-up")).toEqual(["6 old nodes, 0 new ones"]);
    expect(told("upgrade")).toEqual(["6 old nodes, 2 new ones"]);
    expect(told("scale-down")).toEqual(["0 old nodes, 8 new ones"]);
    expect(new Set(told("chosen"))).toHaveLength(6);
    expect(told("resized")).toEqual([
      "desired 8, max 10",
      "desired 7, max 10",
      "desired 6, max 10",
      "desired 6, max 8",
    ]);
    expect(lines.at(-1)).toMatch(
      /^upgraded in .*: 6 old nodes replaced, \d+ pods evicted within their budgets$/,
    );
  });

  it("tells of a message that is malformed where it is, and what to do", async () => {
    const input = readFileSync(event, "utf8").replace('"surge": "2"', '"surge": "x"');
    const io = capturedIo({ input });

    expect(await main(["replay", "-", "--json"], io)).toBe(1);

    expect(io.err()).toMatch(
      /^event\.malformed: reading .*options\.surge: expected .*, got "x"; the message is -; correct the event .*; the message waits in the dead letters, demo-upgrades-dead-letters\n$/,
    );
    expect(jsonLines(io).at(-1)).toMatchObject({ kind: "summary", exitCode: 1, deadLetters: 1 });
  });

  it.each([
    ["--break", "no-node"],
    ["--via", "direct"],
    ["--adopt"],
    ["--dry-run", "--cluster", "demo"],
  ])("takes no %s", async (...options) => {
    const io = capturedIo();

    expect(await main(["replay", event, ...options], io)).toBe(2);
    expect(io.err()).toContain("its replay takes --timeout and --json alone");
  });
});
