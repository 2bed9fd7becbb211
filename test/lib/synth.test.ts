import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("npm run synth names the file with the template that it writes", async () => {
  const { stdout } = await run("npm", ["run", "--silent", "synth"]);

  // In CI, CDK writes its advice to the same output.
  const [, file = ""] = /^The template is (\S+)$/m.exec(stdout) ?? [];
  expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty("Resources");
});
