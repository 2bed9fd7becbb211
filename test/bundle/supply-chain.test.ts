import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { billOfMaterials } from "../../tools/bundle/bill-of-materials.ts";
import { buildFunctions, type FunctionBundle } from "../../tools/bundle/build-functions.ts";
import { bundledPackages } from "../../tools/bundle/bundled-packages.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";
import { noticeOf } from "../../tools/generate/notice.ts";
import { unwrapped } from "../../tools/lint/wrapped.ts";

const json = (path: string) => Object(JSON.parse(readFileSync(join(projectRoot, path), "utf8")));

describe("what ships", () => {
  let bundles: readonly FunctionBundle[];
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ships-"));
    bundles = await buildFunctions({ folder });
    return () => rmSync(folder, { recursive: true });
  });

  it("is in NOTICE, with the texts of its licences, as `npm run generate` writes it", () => {
    expect(readFileSync(join(projectRoot, "NOTICE"), "utf8")).toBe(noticeOf(bundles));
  });

  it("is counted in the documents: the packages of two functions, and the bills of materials", () => {
    const page = unwrapped(readFileSync("docs/security.md", "utf8"));
    const count = (name: string) =>
      bundles
        .filter((one) => one.name === name)
        .flatMap((one) => (JSON.parse(billOfMaterials(one)) as Bill).components).length;
    expect(page).toContain(
      `is ${count("node")} packages in the function for notices and ${count("access")} in the deployer's.`,
    );
    expect(page).toContain(`\`dist/NAME.cdx.json\` of each of the ${bundles.length} functions`);
  });

  it("has licences that ask for no more than their text", () => {
    const licences = bundles
      .flatMap(({ inputs }) => bundledPackages(projectRoot, inputs))
      .map(({ license }) => license);
    expect(new Set(licences)).toEqual(new Set(["Apache-2.0", "MIT"]));
  });

  it("is on the bill of materials of its bundle: exactly the packages with files in it, with their bytes", () => {
    for (const made of bundles) {
      const { components, metadata } = JSON.parse(billOfMaterials(made)) as Bill;
      const { packages: locked } = json("package-lock.json");
      const folders = Object.entries(made.inputs)
        .filter(([path, bytes]) => bytes > 0 && path.startsWith("node_modules/"))
        .map(([path]) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
      const expected = [...new Set(folders)].map(
        (folder) => `pkg:npm/${folder.slice(13).replace("@", "%40")}@${locked[folder].version}`,
      );

      expect(new Set(components.map(({ purl }) => purl))).toEqual(new Set(expected));
      expect(components).toHaveLength(expected.length);
      expect(metadata.component.hashes).toEqual([{ alg: "SHA-256", content: made.sha256 }]);
      const bytes = components.map(({ properties: [property] }) => Number(property?.value));
      expect(Math.min(...bytes)).toBeGreaterThan(0);
      expect(bytes.reduce((sum, count) => sum + count)).toBeLessThan(made.bytes);
    }
  });
});

interface Bill {
  readonly metadata: { readonly component: { readonly hashes: unknown } };
  readonly components: readonly {
    readonly purl: string;
    readonly properties: readonly { readonly value: string }[];
  }[];
}

describe("the packages", () => {
  it("have exact versions, which npm saves without being told", () => {
    const { dependencies, devDependencies } = json("package.json");
    const versions: readonly unknown[] = Object.values({ ...dependencies, ...devDependencies });
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readFileSync(join(projectRoot, ".npmrc"), "utf8")).toContain("save-exact=true\n");
  });

  it("are those of the lock file, byte for byte", () => {
    const { packages } = json("package-lock.json");
    const open = Object.entries<Record<string, unknown>>(packages)
      .filter(([path, { inBundle }]) => path !== "" && inBundle !== true)
      .filter(([, { integrity }]) => !/^sha512-/.test(String(integrity)));
    expect(open).toEqual([]);
  });
});

/** Where and how somebody builds. */
interface Machine {
  readonly folder: string;
  readonly cwd: string;
  readonly umask: string;
  readonly files: "as listed" | "the other way round";
  readonly saved: Date;
  readonly env: Readonly<Record<string, string>>;
}

const parts = ["tools/bundle", "lambda", "package.json"];

/** What the command that builds the bundles has said and made. */
interface Build {
  readonly stdout: string;
  readonly stderr: string;
  /** What is then in dist/. */
  readonly made: Readonly<Record<string, Buffer>>;
}

/** Builds a copy of the project as if on another machine. */
function builtOn({ folder, cwd, umask, files, saved, env }: Machine): Build {
  const top = mkdtempSync(join(tmpdir(), "machine-"));
  const root = join(top, folder);
  const all = parts.flatMap((part) => [part, ...globSync(`${part}/**/*.*`, { cwd: projectRoot })]);
  const sources = all.filter((path) => /\.[^/]+$/.test(path)).toSorted();
  for (const path of files === "as listed" ? sources : sources.reverse()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(projectRoot, path), join(root, path));
    utimesSync(join(root, path), saved, saved);
  }
  symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
  const command = `umask ${umask} && exec "$0" "$1"`;
  const { PATH = "" } = process.env;
  const build = [command, process.execPath, join(root, "tools/bundle/build.ts")];
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", ...build], {
    cwd,
    env: { PATH, ...env },
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  // A source map names the packages by where they are, which the link tells.
  const paths = globSync("**/*.{cjs,json}", { cwd: join(root, "dist") }).toSorted();
  const made = paths.map((path) => [path, readFileSync(join(root, "dist", path))] as const);
  rmSync(top, { recursive: true });
  return { stdout, stderr, made: Object.fromEntries(made) };
}

describe("the command that builds the bundles", () => {
  let build: Build;
  beforeAll(() => {
    build = builtOn({
      folder: "p",
      cwd: "/",
      umask: "022",
      files: "as listed",
      saved: new Date("2026-11-20T10:00:00Z"),
      env: { TZ: "UTC", LANG: "C", HOME: "/", USER: "root" },
    });
  });

  it("leaves standard output to its caller, such as cdk synth", () => {
    expect(build.stdout).toBe("");
    expect(build.stderr).toContain("dist/node/index.cjs");
  });

  it("makes the same bundles and bills of materials on another machine, byte for byte", () => {
    const { made: one } = build;
    const { made: other } = builtOn({
      folder: join("über den Wolken", "x".repeat(200), "y".repeat(200), "project"),
      cwd: tmpdir(),
      umask: "077",
      files: "the other way round",
      saved: new Date("1999-12-31T23:59:59Z"),
      env: {
        TZ: "Pacific/Kiritimati",
        LANG: "tr_TR.UTF-8",
        LC_ALL: "tr_TR.UTF-8",
        HOME: tmpdir(),
        USER: "somebody",
        NODE_ENV: "production",
        SOURCE_DATE_EPOCH: "1",
      },
    });

    expect(Object.keys(one)).toEqual(
      expect.arrayContaining([
        "access.cdx.json",
        "access/index.cjs",
        "node.cdx.json",
        "node/index.cjs",
        expect.stringMatching(/^node\/node-access-/),
      ]),
    );
    expect(Object.keys(other)).toEqual(Object.keys(one));
    for (const [path, content] of Object.entries(one))
      expect(content.equals(other[path] ?? Buffer.of()), path).toBe(true);
  });
});

describe("an installation", () => {
  it("refuses a package with a script that nobody has allowed", () => {
    const folder = mkdtempSync(join(tmpdir(), "scripts-"));
    const inFolder = (path: string, value: object) =>
      writeFileSync(join(folder, path), JSON.stringify(value));
    mkdirSync(join(folder, "unlisted"));
    const scripts = { postinstall: "node -e 'require(`fs`).writeFileSync(`ran`, ``)'" };
    inFolder("unlisted/package.json", { name: "unlisted", version: "1.0.0", scripts });
    const { allowScripts } = json("package.json");
    const npm = (...args: readonly string[]) =>
      spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
    npm("pack", "./unlisted");
    inFolder("package.json", {
      allowScripts,
      dependencies: { unlisted: "file:unlisted-1.0.0.tgz" },
    });
    cpSync(join(projectRoot, ".npmrc"), join(folder, ".npmrc"));

    const { status, stderr } = npm("install", "--offline", "--no-audit", "--no-fund");

    expect(stderr).toContain("ESTRICTALLOWSCRIPTS");
    expect(status).toBe(1);
    expect(globSync("**/ran", { cwd: folder })).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe("the workflow of a release", () => {
  const { jobs } = parse(readFileSync(".github/workflows/release.yml", "utf8")) as Workflow;
  const rights = ({ permissions = {} }: Job) => Object.keys(permissions);
  const texts = ({ steps = [] }: Job) => steps.map(({ uses = "", run = "" }) => uses + run);

  it("publishes in a job that only downloads, and builds in one that may publish nothing", () => {
    const publishing = Object.values(jobs).filter((job) => rights(job).length > 0);
    expect(publishing.map(({ environment }) => environment)).toEqual(["release"]);
    for (const text of publishing.flatMap(texts))
      expect(text).not.toMatch(/checkout|npm (ci|install|run)|npx|\.ci\//);
    const building = Object.values(jobs).filter((job) => texts(job).includes("npm ci"));
    expect(building.map(rights)).toEqual([[], []]);
  });

  it("publishes what judges of others have seen, in a job that cannot change it", () => {
    const [judging = ["", {}]] = Object.entries(jobs).filter(([, job]) =>
      texts(job).some((text) => text.startsWith("npm run release:check")),
    );
    expect(texts(judging[1]).join()).not.toContain("upload-artifact");
    const publishing = Object.values(jobs).filter((job) => rights(job).length > 0);
    expect(publishing.map(({ needs = [] }) => needs.includes(judging[0]))).toEqual([true]);
  });

  it("has no token of npm, and no cache of packages", () => {
    expect(JSON.stringify(jobs)).not.toContain("secrets.");
    const setups = Object.values(jobs)
      .flatMap(({ steps = [] }) => steps)
      .filter(({ uses = "" }) => uses.includes("setup-node"));
    expect(setups.map(({ with: its }) => its?.["package-manager-cache"])).toEqual(
      Array(3).fill(false),
    );
  });
});

describe("the Python tools of CI", () => {
  const run = readFileSync(join(projectRoot, ".ci/run"), "utf8");
  const installed = [...run.matchAll(/^install (\S+)/gm)].map(([, name = ""]) => name);

  it("are installed by hash with all that they need, and build nothing", () => {
    const asked = [...run.matchAll(/pip3? install .*/g)].map(([line]) => line);
    expect(asked).toEqual([expect.stringContaining("--require-hashes --only-binary :all: ")]);
    expect(installed).toHaveLength(5);
    expect(new Set(installed.map((name) => `.ci/requirements/${name}.txt`))).toEqual(
      new Set(globSync(".ci/requirements/*", { cwd: projectRoot })),
    );
  });

  it.each(installed)(
    "have one version, and the hashes of its files, of each package: %s",
    (name) => {
      const text = readFileSync(join(projectRoot, `.ci/requirements/${name}.txt`), "utf8");
      const needs = text.replace(/^#.*\n/gm, "").split(/\n(?=\S)/);
      expect(needs.filter((one) => one.startsWith(name))).toHaveLength(1);
      for (const one of needs)
        expect(one.trim()).toMatch(
          /^[\w.[\],-]+==\S+( ;[^\\]*)?( \\\n {4}--hash=sha256:[\da-f]{64})+$/,
        );
    },
  );
});

interface Job {
  readonly environment?: string;
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}
