/** Changes the code of a room in one place at a time, and looks whether its tests see it: `npm run mutate -- --help`. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Argument, Command, InvalidArgumentError } from "commander";
import { projectRoot } from "../bundle/project-root.ts";
import { readReport } from "./report-schema.ts";
import { rowOf, survivorsOf } from "./rows.ts";
import { reasons, share, tellRow, tellSurvivor } from "./telling.ts";

const judge = join(projectRoot, ".ci/judges/mutation");
/** Below `node_modules`, so that it finds the project's vitest. */
const installed = join(projectRoot, "node_modules/.cache/mutation");
const rooms = readdirSync(join(projectRoot, "lambda"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(projectRoot, "test", entry.name)))
  .map(({ name }) => name);

function jobs(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("expected a whole number such as 2");
}

/** Installs Stryker by its lock, once for each lock. An installation that breaks off leaves nothing that counts. */
function install(): void {
  const lock = "package-lock.json";
  const is = (folder: string): string => readFileSync(join(folder, lock), "utf8");
  if (existsSync(join(installed, lock)) && is(installed) === is(judge)) return;
  const making = `${installed}.${process.pid}`;
  cpSync(judge, making, { recursive: true });
  const args = ["ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  try {
    execFileSync("npm", args, { cwd: making, stdio: "inherit" });
    rmSync(installed, { recursive: true, force: true });
    renameSync(making, installed);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

interface Options {
  readonly sample: number;
  readonly files: string;
  readonly tests?: string;
  readonly jobs: number;
  readonly most?: number;
}

/** Runs Stryker, and gives the text of its report; `undefined` if it has none. */
function tryMutate(
  room: string,
  { sample, files, tests = `test/${room}`, jobs, most = Infinity }: Options,
): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "mutate-"));
  const config = join(folder, "stryker.config.json");
  const fileName = join(folder, "report.json");
  const settings = {
    mutate: [`lambda/${room}/${files}`, `!lambda/${room}/**/*.port.ts`],
    testRunner: "in-place",
    plugins: ["runner.ts", "sample.ts", "survivors.ts"].map((name) =>
      join(import.meta.dirname, name),
    ),
    checkers: ["sample"],
    coverageAnalysis: "perTest",
    concurrency: jobs,
    tempDirName: join(folder, "sandbox"),
    tsconfigFile: "none",
    disableTypeChecks: true,
    ignorePatterns: ["/cdk.out", "/dist", ".screenshots"],
    allowEmpty: true,
    // The tests' own times are of the processor, and a test that waits for ever ends by itself.
    timeoutMS: 600_000,
    dryRunTimeoutMinutes: 60,
    reporters: ["progress-append-only", "survivors", "json"],
    jsonReporter: { fileName },
    thresholds: { break: null },
  };
  writeFileSync(config, JSON.stringify(settings));
  const stryker = join(installed, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const env = {
    ...process.env,
    MUTATE_TESTS: tests,
    MUTATE_SHARE: String(sample),
    MUTATE_MOST: String(most),
  };
  try {
    const { status } = spawnSync(process.execPath, [stryker, "run", config], {
      cwd: projectRoot,
      env,
      stdio: "inherit",
    });
    return status === 0 ? readFileSync(fileName, "utf8") : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function act(room: string, options: Options): void {
  install();
  const text = tryMutate(room, options);
  if (text === undefined) command.error("Stryker ended without a report; its lines above say why");
  const report = readReport(text);
  for (const one of survivorsOf(report)) tellSurvivor(`${one.file}:${one.line}`, one);
  tellRow(rowOf(room, options.sample, report, reasons));
}

const command: Command = new Command("mutate");

await command
  .description(
    "Changes the code of a room in one place at a time, runs the room's tests, and lists the changes that none of them sees.",
  )
  .addArgument(new Argument("<room>", "the folder of lambda/").choices(rooms))
  .option("--sample <share>", "try this share of the changes, the same in each run", share, 1)
  .option("--files <glob>", "files of the room", "**/*.ts")
  .option(
    "--tests <folders>",
    "folders or files of tests, with commas between them (default: the room's)",
  )
  .option("--jobs <number>", "how many processes test at once", jobs, 2)
  .option(
    "--most <seconds>",
    "of the tests that run a change, use the fastest, as many as need this time of the processor",
    jobs,
  )
  .action(act)
  .parseAsync();
