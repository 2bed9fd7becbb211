import { describe, expect, it } from "vitest";
import { JsonReport } from "../../../cli/replay/json-report.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { action, aResult, at, drain, start } from "./a-story.ts";

function reported(result = aResult()) {
  const io = capturedIo({ isTTY: true });
  const report = new JsonReport(io);
  report.begin({ from: start, until: at(120) });
  for (const happening of result.happenings) report.tell(happening);
  report.end(result, verdictOf(result));
  return { io, objects: jsonLines(io) };
}

describe("a report for programs", () => {
  it("has one object on each line, and nothing else", () => {
    const { objects } = reported();

    expect(objects).toHaveLength(drain.length + 1);
    expect(objects[0]).toEqual({
      version: 1,
      elapsed: 0.5,
      at: "2026-03-23T09:14:05.718Z",
      source: "function",
      kind: "pass-started",
      notice: "terminating i-1 of workers",
      receives: 1,
    });
  });

  it("sums up in its last line", () => {
    const { objects, io } = reported();

    expect(objects.at(-1)).toEqual({
      version: 1,
      kind: "summary",
      exitCode: 0,
      line: "drained ip-192-168-18-230 in 10.0 s: 2 pods gone, 2 running elsewhere, Terminate-LC-Hook completed with CONTINUE",
      ending: "answered",
      elapsed: 10,
      outcomes: [{ kind: "drained", attached: [], stuck: [] }],
      completed: [{ ...action, result: "CONTINUE" }],
      forced: [],
      gone: ["demo/web", "kube-system/dns"],
      left: [],
      queue: "notices",
      waiting: [],
      deadLetterQueue: "dead-notices",
      deadLetters: 0,
    });
    expect(io.err()).toBe("");
  });

  it("also says on standard error why something is not done", () => {
    const { io } = reported(aResult({ outcomes: [{ kind: "no-node" }] }));

    expect(io.err()).toMatch(/^nothing to drain: [^\n]+\n$/);
  });
});
