import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { outputJsonSchema } from "../../cli/json/output-schema.ts";
import { main } from "../../cli/main.ts";
import { capturedIo } from "./captured-io.ts";
import { jsonLines } from "./json-lines-schema.ts";

const run = promisify(execFile);

async function said(argv: readonly string[], input = "") {
  const io = capturedIo({ input });
  const code = await main([...argv, "--json"], io);
  return { code, lines: jsonLines(io) };
}

describe("the output for programs", () => {
  it("has a schema that `npm run generate` writes", () => {
    const written: unknown = JSON.parse(readFileSync("docs/output.schema.json", "utf8"));

    expect(written).toEqual(JSON.parse(JSON.stringify(outputJsonSchema())));
  });

  it.each([
    ["event.malformed", ["replay", "-"]],
    ["input", ["manifests", "nowhere"]],
  ])("tells a fault as an error: %s", async (code, argv) => {
    const { code: exitCode, lines } = await said(argv, "nonsense");

    expect(exitCode).toBe(1);
    expect(lines).toMatchObject([{ version: 1, kind: "error", exitCode: 1, code }]);
  });

  it.each([["--help"], ["--version"], ["replay", "--help"]])(
    "wraps text that is for people: %s",
    async (...argv) => {
      const { code, lines } = await said(argv);

      expect(code).toBe(0);
      expect(lines.every(({ kind, text }) => kind === "text" && text !== "")).toBe(true);
    },
  );

  it("is all that reaches the standard output by npm", async () => {
    const failed = run("npm", ["run", "--silent", "replay", "--", "nowhere.json", "--json"], {
      env: { ...process.env, npm_config_loglevel: undefined },
    });

    const { stdout, code } = await failed.then(
      () => ({ stdout: "", code: 0 }),
      (error: { readonly stdout: string; readonly code: number }) => error,
    );
    expect(code).toBe(2);
    expect(jsonLines({ out: () => stdout })).toMatchObject([{ kind: "error", code: "usage" }]);
  });
});
