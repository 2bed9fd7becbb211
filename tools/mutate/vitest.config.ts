import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

class CarrierLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const last = ({ moduleId }: TestSpecification): number =>
      Number(moduleId.endsWith("/carrier.test.ts"));
    return files.toSorted((one, other) => last(one) - last(other));
  }
}

/** A room's own tests without the long ones, as the suite `unit` runs them; `MUTATE_TESTS` names their folders. */
export default defineConfig({
  test: {
    include: [
      ...(process.env["MUTATE_TESTS"] ?? "")
        .split(",")
        .map((place) => (place.endsWith(".ts") ? place : `${place}/**/*.test.ts`)),
      "tools/mutate/carrier.test.ts",
    ],
    exclude: ["**/*.long.test.ts", "**/*.emulator.test.ts"],
    globalSetup: ["test/support/run-folder.ts", "test/support/run-seed.ts"],
    setupFiles: [
      "test/support/property-seed.ts",
      "test/support/logged-secrets.ts",
      "test/support/recorded-requests.ts",
    ],
    isolate: false,
    pool: "threads",
    maxWorkers: 1,
    runner: "tools/mutate/tests-in-place.ts",
    sequence: { sequencer: CarrierLast },
    reporters: [],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 0,
    hookTimeout: 300_000,
  },
});
