import { defineConfig } from "vitest/config";

const setupFiles = ["test/property-seed.ts", "test/logged-secrets.ts"];

export default defineConfig({
  test: {
    // Many tests wait: for a process, a grace period, a settled node.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          include: ["test/**/*.test.ts"],
          exclude: ["test/cluster/**", "test/lib/**", "**/*.long.test.ts"],
          sequence: { shuffle: true },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "long",
          setupFiles,
          include: ["test/**/*.long.test.ts", "test/domain/aws-auth/edit.test.ts"],
          exclude: ["test/cluster/**"],
          sequence: { shuffle: true },
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // CDK takes seconds to load: once, for all of them.
          name: "stack",
          setupFiles,
          include: ["test/lib/**/*.test.ts"],
          sequence: { shuffle: { tests: true } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          isolate: false,
        },
      },
      {
        test: {
          name: "cluster",
          setupFiles,
          include: ["test/cluster/**/*.test.ts"],
          sequence: { shuffle: { tests: true } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
