import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { replayCommand } from "./docs/replay-command.ts";

it("the README's command to try a drain works", async () => {
  const [npm = "", ...args] = replayCommand.split(" ");
  const { stdout } = await promisify(execFile)(npm, args);

  expect(stdout).toMatch(/^drained .* completed with CONTINUE$/m);
});
