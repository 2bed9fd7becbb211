import { basename } from "node:path";
import { expect, it } from "vitest";
import { lateModules } from "./late-modules.ts";

// Vitest loads a module over a port of its own. No hook sees that work, so the world's time would go on meanwhile.
it("every module that the function loads late is found, to be loaded before the world's time starts", () => {
  expect(lateModules.map((path) => basename(path))).toEqual(
    expect.arrayContaining(["register-node.flow.ts", "clean-up.flow.ts", "sqs-queue.ts"]),
  );
});
