import { describe, expect, it } from "vitest";
import { tryReadLogLine } from "../../journal/log-line-schema.ts";

const entry = {
  at: "2026-03-23T09:14:05.218Z",
  kind: "pod-refused",
  pod: "shop/web",
  why: "blocked",
  message: 'the budget says "no"',
};
const line = JSON.stringify(entry);
const wrapped = { timestamp: "2026-03-23T09:14:05.218Z", level: "INFO", requestId: "r" };

describe("a line of a log", () => {
  it.each([
    ["as the function writes it", line],
    [
      "as aws logs tail shows it",
      `2026-03-23T09:14:05.218000+00:00 2026/03/23/[$LATEST]4f2a ${line}`,
    ],
    ["as an export writes it", `2026-03-23T09:14:05.218Z ${line}`],
    [
      "as text of filter-log-events",
      `EVENTS\t3871\t1774257245218\t2026/03/23/[$LATEST]4f2a\t${line}\t1774257245218`,
    ],
    ["as JSON of filter-log-events", `            "message": ${JSON.stringify(`${line}\n`)},`],
    ["as the console's CSV", `1774257245218,"${line.replaceAll('"', '""')}"`],
    ["in an object of a logger", JSON.stringify({ ...wrapped, message: entry })],
    ["as text in such an object", JSON.stringify({ ...wrapped, message: line })],
    [
      "as replay --json writes it",
      JSON.stringify({ version: 1, elapsed: 0, source: "function", ...entry }),
    ],
  ])("is an entry %s", (_, text) => {
    expect(tryReadLogLine(text)).toMatchObject({
      source: "function",
      pod: "shop/web",
      message: entry.message,
    });
  });

  it("may tell of the sandbox", () => {
    const world = { at: entry.at, kind: "pod-running", pod: "a/b", node: "n", replaces: "a/c" };

    expect(tryReadLogLine(JSON.stringify({ ...world, source: "world" }))).toMatchObject({
      kind: "pod-running",
      source: "world",
      replaces: "a/c",
    });
    expect(tryReadLogLine(JSON.stringify(world))).toBeUndefined();
  });

  it.each([
    "",
    "START RequestId: 8f507cfc Version: $LATEST",
    '{"time":"2026-03-23T09:14:05.218Z","type":"platform.report","record":{}}',
    '{"message":"starting"}',
    "}{",
    '"message": ,',
    line.slice(0, -5),
    line.replace("2026", "later"),
    "\u0000{\u202e}",
  ])("is no entry: %j", (text) => {
    expect(tryReadLogLine(text)).toBeUndefined();
  });
});
