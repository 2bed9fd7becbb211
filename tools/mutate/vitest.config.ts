import { defineConfig } from "vitest/config";

/** A room's own tests without the long ones, as the suite `unit` runs them; `MUTATE_TESTS` names their folders. */
export default defineConfig({
  test: {
    include: (process.env["MUTATE_TESTS"] ?? "")
      .split(",")
      .map((folder) => `${folder}/**/*.test.ts`),
    exclude: ["**/*.long.test.ts", "**/*.emulator.test.ts"],
    globalSetup: ["test/support/run-folder.ts", "test/support/run-seed.ts"],
    setupFiles: [
      "test/support/property-seed.ts",
      "test/support/logged-secrets.ts",
      "test/support/recorded-requests.ts",
    ],
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
