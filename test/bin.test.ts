import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);

interface End {
  readonly code: number;
  readonly stderr: string;
}

/** Runs a program as a Node does that reads no TypeScript. */
async function withOldNode(file: string, argv: readonly string[]): Promise<End> {
  const env = { ...process.env, NODE_OPTIONS: "--no-experimental-strip-types" };
  return run(file, argv, { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: End) => error,
  );
}

const advice =
  /^Node \d+\.\d+\.\d+ does not run TypeScript: run `npm ci` without --ignore-scripts, [^\n]+\n$/;

describe("a Node that does not run TypeScript", () => {
  it("is told in one sentence what to do by the command line", async () => {
    const { code, stderr } = await withOldNode(process.execPath, ["bin/eks-node-lifecycle.js"]);

    expect(code).toBe(1);
    expect(stderr).toMatch(advice);
  });

  it.each(["bundle", "generate", "test", "replay"])(
    "is told the same by npm run %s",
    async (name) => {
      const { code, stderr } = await withOldNode("npm", ["run", "--silent", name]);

      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(advice.source.replace("^", ""), "m"));
      expect(stderr).not.toContain("ERR_UNKNOWN_FILE_EXTENSION");
    },
  );
});
