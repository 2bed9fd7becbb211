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

async function helpOf(command: string) {
  const io = capturedIo();
  await main([command, "--help"], io);
  return io.out();
}

describe("the output for programs", () => {
  it("has a schema that `npm run generate` writes", () => {
    const written: unknown = JSON.parse(readFileSync("docs/output.schema.json", "utf8"));

    expect(written).toEqual(JSON.parse(JSON.stringify(outputJsonSchema())));
  });

  it.each([
    [
      [],
      "no command is given; there are: completion, dead-letters, discover, doctor, drain, evacuate, init, logs, manifests, plan, replay, status, timeline",
    ],
    [["status"], "missing required argument 'cluster'"],
    [["completion", "cmd"], "Allowed choices are bash, zsh, fish"],
    [["reply"], "unknown command 'reply'\n(Did you mean replay?)"],
    [["replay"], "missing required argument 'event'"],
    [
      ["replay", "a.json", "--brake", "no-node"],
      "unknown option '--brake'\n(Did you mean --break?)",
    ],
    [["replay", "nowhere.json"], "cannot read event file nowhere.json"],
    [
      ["replay", "events/demo-ng-launch.json", "--break", "budget-blocked"],
      "--break budget-blocked",
    ],
    [["dead-letters"], "name the cluster, or give the queue of its notices with --queue-url"],
    [["discover"], "missing required argument 'cluster'"],
    [["drain"], "missing required argument 'nodes'"],
    [["evacuate", "demo"], "required option '--zone <zone>' not specified"],
    [["replay", "events/demo-ng-terminate.json", "--kubeconfig", "x"], "--dry-run only"],
    [["manifests", "demo", "--role", "me"], "option '--role <arn>' argument 'me' is invalid"],
  ])("tells wrong usage as an error: %j", async (argv, message) => {
    const { code, lines } = await said(argv);

    expect(code).toBe(2);
    expect(lines).toEqual([
      {
        version: 1,
        kind: "error",
        exitCode: 2,
        code: "usage",
        message: expect.stringContaining(message),
        remedy: "eks-node-lifecycle --help shows the usage",
      },
    ]);
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

  it.each(["dead-letters", "discover", "logs", "manifests", "replay", "timeline"])(
    "is promised by an example in the help of %s, without npm's banner",
    async (command) => {
      const call = new RegExp(`npx eks-node-lifecycle ${command} .*--json`);

      expect(await helpOf(command)).toMatch(call);
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
