import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { biomeReportSchema, type Diagnostic } from "./biome-report-schema.ts";

/** What the linter must find in each file of `test/planted/`, and nothing else. */
const planted = {
  "cli/own-output.ts": "noRestrictedGlobals",
  "lambda/CamelCase.ts": "useFilenamingConvention",
  "lambda/any-type.ts": "noExplicitAny",
  "lambda/awaited-value.ts": "useAwaitThenable",
  "lambda/bare-error.ts": "no-bare-error.grit",
  "lambda/barrel.ts": "noBarrelFile",
  "lambda/cast.ts": "no-cast.grit",
  "lambda/console-write.ts": "noConsole",
  "lambda/cycle-back.ts": "noImportCycles",
  "lambda/cycle-there.ts": "noImportCycles",
  "lambda/default-export.ts": "noDefaultExport",
  "lambda/domain/clock.ts": "noRestrictedGlobals",
  "lambda/domain/process.ts": "noRestrictedGlobals",
  "lambda/enumeration.ts": "noEnum",
  "lambda/floating-promise.ts": "noFloatingPromises",
  "lambda/floating-sdk-call.ts": "noFloatingPromises",
  "lambda/forgotten-case.ts": "useExhaustiveSwitchCases",
  "lambda/four-parameters.ts": "useMaxParams",
  "lambda/long-function.ts": "noExcessiveLinesPerFunction",
  "lambda/lost-cause.ts": "useErrorCause",
  "lambda/misused-promise.ts": "noMisusedPromises",
  "lambda/no-extension.ts": "useImportExtensions",
  "lambda/non-null.ts": "noNonNullAssertion",
  "lambda/object-as-text.ts": "noBaseToString",
  "lambda/parameter-property.ts": "noParameterProperties",
  "lambda/tangled.ts": "noExcessiveCognitiveComplexity",
  "lambda/thrown-text.ts": "useThrowOnlyError",
  "lambda/undeclared-package.ts": "noUndeclaredDependencies",
  "lambda/writable-property.ts": "useReadonlyClassProperties",
};

/** Files that the defective ones import, and one with a cast in a place that allows casts. */
const sound = ["lambda/domain/brand.ts", "lambda/drained.ts", "lambda/fault.ts", "lambda/told.ts"];

const ourOwn = { "Throw a Fault": "no-bare-error.grit", "Parse or narrow": "no-cast.grit" };

function ruleOf({ category, message }: Diagnostic): string | undefined {
  if (category !== "plugin") return category.split("/").at(-1);
  return Object.entries(ourOwn).find(([beginning]) => message.startsWith(beginning))?.[1];
}

/**
 * Copies the packages that the planted files need: the linter reads types, but follows no symlinks.
 */
async function plant(root: string): Promise<void> {
  const isType = (path: string) => !/\.(js|map|cjs|mjs)$/.test(path);
  await Promise.all([
    cp("test/planted", root, { recursive: true }),
    ...["biome.json", "package.json", "lint"].map((it) =>
      cp(it, join(root, it), { recursive: true }),
    ),
    ...["@aws-sdk/client-auto-scaling", "@smithy/core", "@smithy/types"].map((it) =>
      cp(`node_modules/${it}`, join(root, "node_modules", it), { recursive: true, filter: isType }),
    ),
  ]);
}

async function lint(root: string): Promise<readonly Diagnostic[]> {
  const biome = join(process.cwd(), "node_modules/.bin/biome");
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const run = promisify(execFile)(biome, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const printed = await run.catch((found: { stdout: string }) => found);
  return biomeReportSchema.parse(JSON.parse(printed.stdout)).diagnostics;
}

describe("the linter", () => {
  let root: string;
  let found: readonly Diagnostic[];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "planted-"));
    await plant(root);
    found = await lint(root);
  });

  afterAll(async () => rm(root, { recursive: true, force: true }));

  const rulesBrokenBy = (file: string) => [
    ...new Set(found.filter(({ location }) => location.path === file).map(ruleOf)),
  ];

  it.each(Object.entries(planted))("finds in %s what %s forbids", (file, rule) => {
    expect(rulesBrokenBy(file)).toEqual([rule]);
  });

  it.each(sound)("finds nothing in %s", (file) => {
    expect(rulesBrokenBy(file)).toEqual([]);
  });

  it("reports each finding as an error", () => {
    expect(found.filter(({ severity }) => severity !== "error")).toEqual([]);
  });

  it("has been shown every planted file", async () => {
    const entries = await readdir("test/planted", { recursive: true });
    const files = entries.filter((entry) => entry.endsWith(".ts"));
    expect(files.toSorted()).toEqual([...Object.keys(planted), ...sound].toSorted());
  });

  it("has a planted defect for every rule that biome.json names", async () => {
    const text = await readFile("biome.json", "utf8");
    const named = [...text.matchAll(/"((?:no|use)[A-Z]\w+)": (?:"error"|\{)/g)].map(([, it]) => it);
    const plugins = (await readdir("lint")).filter((it) => it.endsWith(".grit"));
    expect(named.length).toBeGreaterThan(20);
    expect(Object.values(planted)).toEqual(expect.arrayContaining([...named, ...plugins]));
  });
});
