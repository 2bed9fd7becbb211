import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { biomeReportSchema, type Diagnostic } from "./biome-report-schema.ts";

/** What the linter must find in each file of `test/planted/`: by rules of our own, and by those that could grow blind, because they read types, other files or folders. */
const planted = {
  "cli/own-output.ts": "noRestrictedGlobals",
  "lambda/awaited-value.ts": "useAwaitThenable",
  "lambda/bare-error.ts": "no-bare-error.grit",
  "lambda/cast.ts": "no-cast.grit",
  "lambda/cycle-back.ts": "noImportCycles",
  "lambda/cycle-there.ts": "noImportCycles",
  "lambda/drain/clock.ts": "noRestrictedGlobals",
  "lambda/floating-promise.ts": "noFloatingPromises",
  "lambda/floating-sdk-call.ts": "noFloatingPromises",
  "lambda/forgotten-case.ts": "useExhaustiveSwitchCases",
  "lambda/misused-promise.ts": "noMisusedPromises",
  "lambda/object-as-text.ts": "noBaseToString",
  "lambda/spread-literal.ts": "no-spread-literal.grit",
};

/** Files that the defective ones import, and one with a cast in a place that allows casts. */
const sound = ["lambda/base/brand.ts", "lambda/drained.ts", "lambda/fault.ts", "lambda/told.ts"];

const ourOwn = {
  "Throw a Fault": "no-bare-error.grit",
  "Parse or narrow": "no-cast.grit",
  "Write the members": "no-spread-literal.grit",
};

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
    ...["biome.json", "package.json", "tools/lint"].map((it) =>
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
});
