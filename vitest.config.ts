import { availableParallelism, freemem, loadavg } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const { PROPERTY_SEED } = process.env;
const seed = PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) };
// The command line, the bundles, the documents' commands, the sandbox and a clone's first commands: they start processes or servers, and wait for them.
const whole = [
  "test/{bundle,cli,contract,docs,hostile,sandbox}/**/*.test.ts",
  "test/{bin,try-out}.test.ts",
];
// What a foreign emulator answers: `PYTHONPATH` has to have moto's server.
const emulated = "test/**/*.emulator.test.ts";
// What AWS' client alone is asked, for it takes minutes.
const foreign = "test/**/*.runtime.test.ts";
// What the sandbox's own client and AWS' answer alike.
const onRuntime = [
  "test/sandbox/{lambda-service,each-bundle,deployment,time-limit,event-source-mapping}.test.ts",
  foreign,
  "test/cli/replay/*.test.ts",
];
const ownFolder = { globalSetup: "test/support/run-folder.ts" };
const chance = {
  globalSetup: ["test/support/run-folder.ts", "test/support/run-seed.ts"],
  setupFiles: [
    "test/support/property-seed.ts",
    "test/support/logged-secrets.ts",
    "test/support/left-behind.ts",
    "test/support/recorded-requests.ts",
  ],
  // A fresh process for each file would cost more than most files do. test/support/left-behind.ts holds the files apart.
  isolate: false,
  // Each world makes much that is gone at its end. With V8's usual 16 MB for what is new, a tenth of a suite's time went
  // into moving it.
  execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=64"],
};
// Node's own modules, which the product runs on too: Vite's, whose every import is a call, cost a tenth of the time of a
// file that computes little. The price is `vi.mock`, which nothing here needs.
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
// A machine under load needs long; what comes soon is not waited for any longer.
const expect = { poll: { timeout: 60_000 } };

// A fresh clone knows no durations, and what takes minutes would begin last and be waited for alone.
const longest = ["upgrade", "contract", "making-room", "upgrade-minimal", "repair", "fifty-nodes"];
const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/test/cluster/${name}.test.ts`));
  return at < 0 ? longest.length : at;
};

/** The number of processes of the suite `unit`. */
function unitWorkers(): number {
  // They compute more than they wait, and each process of them compiles the SDKs once more.
  const cores = Math.min(4, availableParallelism());
  // Beside other people's processes each gets a share of the time, and more processes get more of it. Each takes some 0.5 GB.
  const [load = 0] = loadavg();
  const share = Math.min(8, Math.round(load), Math.floor(freemem() / 2 ** 30));
  return load > 2 * availableParallelism() ? Math.max(cores, share) : cores;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    // Many tests wait: for a process, a grace period, a settled node.
    maxWorkers: 4,
    sequence: { ...seed, sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          ...chance,
          ...native,
          maxWorkers: unitWorkers(),
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/browser/**",
            "test/cluster/**",
            "test/lib/**",
            "**/*.long.test.ts",
            emulated,
            ...whole,
          ],
          sequence: { shuffle: true },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        test: {
          name: "whole",
          ...chance,
          ...native,
          include: whole,
          exclude: ["**/*.long.test.ts", emulated, foreign],
          sequence: { shuffle: true },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        test: {
          name: "long",
          ...chance,
          ...native,
          include: ["test/**/*.long.test.ts"],
          exclude: ["test/cluster/**"],
          sequence: { shuffle: true },
          testTimeout: 900_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        test: {
          name: "emulator",
          ...chance,
          ...native,
          include: [emulated],
          sequence: { shuffle: true },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "runtime",
          ...chance,
          ...native,
          globalSetup: [...chance.globalSetup, "test/support/foreign-runtime.ts"],
          include: onRuntime,
          exclude: ["**/*.long.test.ts"],
          sequence: { shuffle: true },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        test: {
          name: "stack",
          ...chance,
          ...native,
          // CDK's own check of a template costs twice its synthesis, and only warns. In CI cfn-lint judges the templates.
          env: { CDK_VALIDATION: "false" },
          include: ["test/lib/**/*.test.ts"],
          sequence: { shuffle: { tests: true } },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "browser",
          ...ownFolder,
          include: ["test/browser/**/*.test.ts"],
          sequence: { shuffle: { tests: true } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "cluster",
          ...chance,
          ...native,
          include: ["test/cluster/**/*.test.ts"],
          sequence: { shuffle: { tests: true } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file has a control plane of its own, and mostly waits for it.
          maxWorkers: 3,
        },
      },
    ],
  },
});
