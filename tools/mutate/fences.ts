/** Changes the fences' expressions in one place at a time, and looks whether their tests see it: `npm run mutate:fences -- --help`. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { projectRoot } from "../bundle/project-root.ts";
import { readFenceChanges } from "./fence-changes-schema.ts";
import { fenceRowOf, survivorOf } from "./fence-rows.ts";
import { reasons, share, tellRow, tellSurvivor } from "./telling.ts";

/** The tests of the fences; each asks the policies of a real API server. */
const suites = [
  "agent-fence",
  "aws-auth-fence",
  "event-fence",
  "node-conditions",
  "node-fence",
  "node-removal",
  "pod-fence",
  "room-fence",
];
const rights = join(projectRoot, "lambda/rights");

/** The file of each policy, from the root of the project. */
const files = new Map(
  readdirSync(rights)
    .filter((name) => name.endsWith("-fence.yaml"))
    .flatMap((name) =>
      [...readFileSync(join(rights, name), "utf8").matchAll(/^metadata:\n {2}name: (.+)$/gmu)].map(
        ([, policy = ""]) => [policy, `lambda/rights/${name}`] as const,
      ),
    ),
);

/** Runs the tests of the fences, which record what the API server asks the policies. */
function record(folder: string): void {
  const { status } = spawnSync("npm", ["run", "test:cluster", "--", ...suites], {
    cwd: projectRoot,
    env: { ...process.env, RECORDED_ADMISSIONS: folder },
    stdio: "inherit",
  });
  if (status !== 0) command.error("the tests of the fences fail as they are; mend that first");
}

/** Asks each changed policy what was asked, by the API server's own code; the same flags as in `build` find what that has compiled. */
function judge(folder: string, sample: number): string {
  const recordings = readdirSync(folder).map((name) => join(folder, name));
  return execFileSync("go", ["run", "-trimpath", "./fences", String(sample)], {
    cwd: join(projectRoot, "test/control-plane"),
    env: { ...process.env, CGO_ENABLED: "0" },
    input: recordings.join("\n"),
    stdio: ["pipe", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
}

interface Options {
  readonly sample: number;
  readonly recorded?: string;
}

/** Records what the tests ask, in a folder that goes afterwards. */
function recordedBy<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "fences-"));
  try {
    record(folder);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function act({ sample, recorded }: Options): void {
  const judged = (folder: string) => judge(folder, sample);
  const text = recorded === undefined ? recordedBy(judged) : judged(resolve(recorded));
  const changes = readFenceChanges(text);
  for (const one of changes.filter(({ killed }) => !killed)) {
    const survivor = survivorOf(one, files);
    tellSurvivor(survivor.file, survivor);
  }
  tellRow(fenceRowOf(changes, { sample, files, reasons }));
}

const command: Command = new Command("mutate:fences");

await command
  .description(
    "Runs the tests of the fences on a real control plane, changes the expressions of the policies in one place at a time, asks the API server's own code what it would have said to each request of the tests, and lists the changes that make no difference.",
  )
  .option("--sample <share>", "try this share of the changes, the same in each run", share, 1)
  .option("--recorded <folder>", "requests that the tests have recorded before, in place of a run")
  .action(act)
  .parseAsync();
