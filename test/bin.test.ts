import { execFile, spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { productVersion } from "../lambda/base/contract.ts";

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

// Linux alone has a file that is always full.
it.runIf(existsSync("/dev/full"))(
  "an output that cannot be written is a failure, and one line says so",
  () => {
    const stdout = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(stdout));

    const { status, stderr } = spawnSync(
      process.execPath,
      ["bin/eks-node-lifecycle.js", "manifests", "sample"],
      { stdio: ["ignore", stdout, "pipe"], encoding: "utf8" },
    );

    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^(?:kubectl apply takes .*\n)?the output cannot be written: ENOSPC.*\n$/,
    );
  },
);

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "bin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("a Node that is too old has the one beside it run the command line in a clone", async () => {
  const old = join(aFolder(), "node");
  cpSync(process.execPath, old);

  const { stdout } = await run(old, [
    "--no-experimental-strip-types",
    "bin/eks-node-lifecycle.js",
    "--version",
  ]);

  expect(stdout).toBe(`${productVersion}\n`);
});

it("the version costs at most a second of CPU in a clone", async () => {
  const counted = `process.on("exit", () => console.error(process.cpuUsage()))`;
  const { stdout, stderr } = await run(process.execPath, [
    "--import",
    `data:text/javascript,${encodeURIComponent(counted)}`,
    "bin/eks-node-lifecycle.js",
    "--version",
  ]);

  expect(stdout).toBe(`${productVersion}\n`);
  const [user = 0, system = 0] = stderr.match(/\d+/g)?.map(Number) ?? [];
  expect(user).toBeGreaterThan(0);
  expect(user + system).toBeLessThan(1_000_000);
});

describe("npm run set-up", () => {
  /** A project with one package, which npm needs no registry for. */
  async function aProject(): Promise<string> {
    const folder = aFolder();
    mkdirSync(join(folder, "own"));
    const write = (file: string, content: unknown) =>
      writeFileSync(join(folder, file), JSON.stringify(content));
    write("own/package.json", { name: "own", version: "1.0.0" });
    write("package.json", { private: true, dependencies: { own: "file:own" } });
    await run("npm", ["install", "--package-lock-only", "--offline"], { cwd: folder });
    return folder;
  }

  const setUp = async (cwd: string): Promise<string> =>
    (await run(process.execPath, [join(import.meta.dirname, "../bin/set-up.js")], { cwd })).stdout;

  it("installs in a fresh clone, and does nothing while node_modules is as the lock says", async () => {
    const folder = await aProject();

    expect(await setUp(folder)).toMatch(/added 1 package/);
    expect(existsSync(join(folder, "node_modules/own/package.json"))).toBe(true);
    expect(await setUp(folder)).toBe("");
  });

  it.each([
    ["a package of another version", `"version": "1.0.0"`, `"version": "0.9.0"`],
    ["no package that the lock has", `"node_modules/own"`, `"own"`],
    [
      "a package that the lock does not have",
      `"packages": {`,
      `"packages": { "node_modules/other": { "version": "1.0.0" },`,
    ],
  ])("installs again where node_modules has %s", async (_, is, was) => {
    const folder = await aProject();
    await setUp(folder);
    const installed = join(folder, "node_modules/.package-lock.json");
    writeFileSync(installed, readFileSync(installed, "utf8").replace(is, was));

    expect(await setUp(folder)).toMatch(/added 1 package/);
    expect(await setUp(folder)).toBe("");
  });
});

describe("the package", () => {
  it("says in one sentence that a Node is too old for it", async () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly engines: { readonly node: string };
    };
    const folder = aFolder();
    mkdirSync(join(folder, "bin"));
    const program = join(folder, "bin", "program.mjs");
    cpSync("bin/eks-node-lifecycle.js", program);
    const old = `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } })`;

    const asked = run(process.execPath, ["--import", `data:text/javascript,${old}`, program]);

    await expect(asked).rejects.toMatchObject({
      code: 1,
      stderr: `Node 20.20.2 is too old for eks-node-lifecycle: use Node ${engines.node.slice(2)} or newer\n`,
    });
  });

  it("has no cluster's file but the sample", async () => {
    const folder = aFolder();
    for (const part of ["package.json", "clusters"])
      cpSync(part, join(folder, part), { recursive: true });
    writeFileSync(join(folder, "clusters", "own.json"), "{}");

    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: folder,
    });

    expect(stdout).toContain("clusters/sample.json");
    expect(stdout).not.toContain("own.json");
  });
});
