import { describe, expect, it } from "vitest";
import { readFenceChanges } from "../../tools/mutate/fence-changes-schema.ts";
import { fenceRowOf, survivorOf } from "../../tools/mutate/fence-rows.ts";
import { type Report, readReport } from "../../tools/mutate/report-schema.ts";
import { killedShare, rowOf, survivorsOf } from "../../tools/mutate/rows.ts";
import { checked } from "../../tools/mutate/sample.ts";

const file = "lambda/drain/next-step.ts";
const source = "const a = 1;\n  if (a > 0 &&\n    a < 9) act();\n";
const at = (from: number, to: number) => ({
  start: { line: from, column: 1 },
  end: { line: to, column: 9 },
});
const mutant = (status: string, replacement: string, location = at(1, 1)) => ({
  mutatorName: "ConditionalExpression",
  replacement,
  status,
  location,
});
const reportOf = (...mutants: ReturnType<typeof mutant>[]): Report =>
  readReport(JSON.stringify({ schemaVersion: "2", files: { [file]: { source, mutants } } }));

describe("a run of mutants", () => {
  it("counts what a failure or a time-out kills, and leaves out what was not tried", () => {
    const report = reportOf(
      mutant("Killed", "0"),
      mutant("Timeout", "1"),
      mutant("Survived", "2"),
      mutant("CompileError", "3"),
      mutant("Ignored", "4"),
    );
    const row = rowOf("drain", 0.5, report, []);
    expect(row).toEqual({ room: "drain", share: 0.5, tried: 3, killed: 2, explained: 0 });
    expect(killedShare(row)).toBeCloseTo(2 / 3);
  });

  it("counts what no test reaches as a survivor, and names its lines and its change", () => {
    const report = reportOf(mutant("NoCoverage", "true ||\n  false", at(2, 3)));
    expect(survivorsOf(report)).toEqual([
      { file, line: 2, was: "if (a > 0 && a < 9) act();", becomes: "true || false" },
    ]);
  });

  it("excuses a survivor whose file, text and change have a reason, and no other", () => {
    const report = reportOf(
      mutant("Survived", "0"),
      mutant("Survived", "2"),
      mutant("Killed", "3"),
    );
    const reasons = [{ file, was: "const a = 1;", becomes: "0", reason: "a stays above nothing" }];
    const row = rowOf("drain", 1, report, reasons);
    expect(row).toMatchObject({ tried: 3, killed: 1, explained: 1 });
    expect(killedShare(row)).toBe(0.5);
  });
});

it("a sample of mutants is the same in each run, and all of them with the share 1", () => {
  const mutants = Array.from({ length: 400 }, (_, line) => ({
    id: `${line}`,
    fileName: `/x/${file}`,
    ...mutant("", "0", at(line, line)),
  }));
  const drawn = (share: number) =>
    Object.values(checked(mutants, share)).filter(({ status }) => status === "passed").length;
  expect(checked(mutants, 0.1)).toEqual(checked(mutants, 0.1));
  expect([drawn(0), drawn(1)]).toEqual([0, 400]);
  expect(drawn(0.5)).toBeGreaterThan(120);
  expect(drawn(0.5)).toBeLessThan(280);
});

it("counts the changes of the fences that no request shows, and excuses one by its place, text and change", () => {
  const change = (becomes: string, killed: boolean) => ({
    policy: "eks-node-lifecycle-events",
    place: "isNode",
    was: "a < 1",
    becomes,
    killed,
  });
  const all = [change("a <= 1", true), change("a > 1", false), change("nothing", false)];
  const changes = readFenceChanges(JSON.stringify(all));
  const file = "lambda/rights/event-fence.yaml";
  const files = new Map([["eks-node-lifecycle-events", file]]);
  const survivor = { file, was: "isNode: a < 1", becomes: "nothing" };
  expect(changes.map((one) => survivorOf(one, files)).at(-1)).toEqual(survivor);
  const reasons = [{ ...survivor, reason: "a is a count" }];
  const row = { room: "fences", share: 1, tried: 3, killed: 1, explained: 1 };
  expect(fenceRowOf(changes, { sample: 1, files, reasons })).toEqual(row);
});
