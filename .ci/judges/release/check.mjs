// Judges a version before its release, by tools that others wrote: `node check.mjs [PACKAGE.tgz]`. Without a package it makes one.
// Each tool is first given a planted defect, which it has to find; `--self-test` does no more. The tools are installed by their
// lock into a folder of the cache, and no script of a package runs.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

const own = import.meta.dirname;
const root = resolve(own, "../../..");
const scratch = mkdtempSync(join(tmpdir(), "release-check-"));
const ofVersion = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

/** The folder of the tools, once a machine. */
function installed() {
  const lock = readFileSync(join(own, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(homedir(), ".cache/eks-node-lifecycle", `release-judges-${digest}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    cpSync(join(own, file), join(making, file));
  const { ok, said } = run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], making);
  if (!ok) throw new Error(`the judges cannot be installed:\n${said}`);
  renameSync(making, folder);
  return folder;
}

/** Whether a command ends well, and all that it says. */
function run(command, args, cwd = root) {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const options = { cwd, env, encoding: "utf8", maxBuffer: 2 ** 26, timeout: 600_000 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  return { ok: status === 0, said: `${stdout ?? ""}${stderr ?? ""}${error ?? ""}` };
}

const tools = installed();
const tool = (name, args, cwd) => run(join(tools, "node_modules/.bin", name), args, cwd);

/** What is wrong with the bills of materials in a folder, by the schema of CycloneDX. */
async function bills(folder) {
  const { Spec, Validation } = createRequire(join(tools, "package.json"))(
    "@cyclonedx/cyclonedx-library",
  );
  const files = globSync("**/*.cdx.json", { cwd: folder });
  const wrong = files.length === 0 ? ["there is no bill of materials"] : [];
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    const validator = new Validation.JsonStrictValidator(
      JSON.parse(text).specVersion ?? Spec.Version.v1dot6,
    );
    const errors = await validator.validate(text);
    if (errors !== null) wrong.push(`${file}: ${JSON.stringify(errors)}`);
  }
  return { ok: wrong.length === 0, said: wrong.join("\n") };
}

const aPackage = (more) =>
  JSON.stringify({ name: "planted", version: "1.0.0", type: "module", ...more });

/**
 * The judges: what each judges of a version, and a defect with the words by which it tells it. A judge is asked of a version,
 * `{ source, unpacked, archive }`, or of a folder with its planted files, which is all three.
 */
const judges = {
  // The package's exports and files, as others import them.
  publint: {
    judge: ({ unpacked }) => tool("publint", ["run", unpacked, "--strict", "--pack", "false"]),
    planted: { "package.json": aPackage({ exports: { ".": "./absent.js" } }) },
    finds: /absent\.js/,
  },
  // The package's types, as each way of resolving modules finds them. It is of modules alone: Node 22 and newer require these.
  attw: {
    judge: ({ archive }) => tool("attw", [archive, "--profile", "esm-only"]),
    planted: {
      "package.json": aPackage({ exports: { types: "./index.d.ts", default: "./index.cjs" } }),
      "index.cjs": "exports.one = 1;",
      "index.d.ts": "export declare const one: number;",
    },
    finds: /Masquerading/i,
  },
  // The bills of materials in the package, by CycloneDX' own schema.
  cyclonedx: {
    judge: ({ unpacked }) => bills(unpacked),
    planted: {
      "planted.cdx.json": JSON.stringify({
        bomFormat: "CycloneDX",
        specVersion: "1.6",
        components: [{ type: "library" }],
      }),
    },
    finds: /must have required property 'name'/,
  },
  // Files, exports and dependencies that nothing uses.
  knip: {
    judge: ({ source }) => {
      const config = existsSync(join(source, ".ci")) ? ["--config", join(own, "knip.jsonc")] : [];
      return tool("knip", ["--no-progress", ...config], source);
    },
    planted: {
      "package.json": aPackage({ main: "index.js" }),
      "index.js": "export const one = 1;",
      "unused.js": "export const two = 2;",
    },
    finds: /Unused files \(1\)\s+unused\.js/,
  },
  // The form of the documents.
  markdownlint: {
    judge: ({ source }) => {
      const config = join(own, "documents.markdownlint.jsonc");
      return tool("markdownlint-cli2", ["--config", config, ...documents], source);
    },
    planted: { "README.md": "# Title\n\nSee [there](#nowhere).\n" },
    finds: /MD051/,
  },
};

const documents = ["*.md", "{docs,sandbox,test,tools}/**/*.md", "!**/node_modules"];

function archiveOf(folder, into) {
  const { ok, said } = run("npm", ["pack", "--pack-destination", into], folder);
  if (!ok) throw new Error(`npm pack fails:\n${said}`);
  return join(into, globSync("*.tgz", { cwd: into })[0]);
}

/** The planted files of a judge in a folder of their own. */
function plantedVersion(name, files) {
  const folder = join(scratch, "planted", name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (name !== "attw") return { source: folder, unpacked: folder, archive: folder };
  const into = `${folder}-packed`;
  mkdirSync(into);
  return { source: folder, unpacked: folder, archive: archiveOf(folder, into) };
}

/** This version: its package, as it is given or made, and unpacked. */
function versionOf(given) {
  const into = join(scratch, "version");
  mkdirSync(into);
  if (given === undefined) process.stdout.write("making the package\n");
  const archive = given === undefined ? archiveOf(root, into) : resolve(given);
  const { ok, said } = run("tar", ["-xzf", archive, "-C", into]);
  if (!ok) throw new Error(`${basename(archive)} cannot be unpacked:\n${said}`);
  return { source: root, unpacked: join(into, "package"), archive };
}

/** Whether a judge passes, and why: it has to find what is planted for it, and nothing in the version. */
async function verdictOf(name, version) {
  const { judge, planted, finds } = judges[name];
  const found = await judge(plantedVersion(name, planted));
  if (found.ok || !finds.test(found.said))
    return { ok: false, words: `does not find what is planted for it:\n${found.said}` };
  if (version === undefined) return { ok: true, words: "finds its planted defect" };
  const { ok, said } = await judge(version);
  return { ok, words: ok ? "finds its planted defect, and nothing here" : `finds:\n${said}` };
}

async function main(args) {
  const version = args.includes("--self-test") ? undefined : versionOf(args[0]);
  const about = version === undefined ? "the planted defects" : `version ${ofVersion}`;
  const failed = [];
  for (const name of Object.keys(judges)) {
    const { ok, words } = await verdictOf(name, version);
    process.stdout.write(`${name} ${words}\n`);
    if (!ok) failed.push(name);
  }
  const result = failed.length === 0 ? "passed" : `failed by ${failed.join(", ")}`;
  process.stdout.write(`release:check of ${about} ${result}: ${Object.keys(judges).join(", ")}\n`);
  return failed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stdout.write(
    `${error.message}\nrelease:check of version ${ofVersion} failed: it could not judge\n`,
  );
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
