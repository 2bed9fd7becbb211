import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const project = process.cwd();
const name = "eks-node-lifecycle";
const tsconfig = {
  compilerOptions: {
    module: "NodeNext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  },
  include: ["app.ts"],
};

/** The app that the docs show. */
async function documentedApp(): Promise<string> {
  const text = await readFile(join(project, "docs/deploy.md"), "utf8");
  const [, section = ""] = text.split("## In your own app");
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
}

describe("another project's app with the packed package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "own-app-"));
    const modules = join(folder, "node_modules");
    await mkdir(modules);
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder]);
    const tarball = /[\w.-]+\.tgz/.exec(stdout.slice(stdout.lastIndexOf('"filename"')))?.[0] ?? "";
    await run("tar", ["-xzf", join(folder, tarball), "-C", folder]);
    // What npm would install beside it.
    await run("mv", [join(folder, "package"), join(modules, name)]);
    for (const other of ["aws-cdk-lib", "constructs", "zod"])
      await symlink(join(project, "node_modules", other), join(modules, other));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    await writeFile(join(folder, "app.ts"), await documentedApp());
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("synthesises what the docs show, with the functions' bundles", async () => {
    const { PATH = "" } = process.env;
    const env = { PATH, CDK_OUTDIR: join(folder, "out") };
    await run(process.execPath, ["app.ts"], { cwd: folder, env });

    const template = await readFile(join(folder, "out", "Nodes.template.json"), "utf8");
    const { Resources } = JSON.parse(template) as {
      readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
    };
    const types = Object.values(Resources).map(({ Type }) => Type);
    expect(types.filter((type) => type === "AWS::AutoScaling::LifecycleHook")).toHaveLength(4);
    expect(template).toContain('"DRAIN_TIMEOUT_SECONDS": "3600"');
    const bundles = globSync("asset.*/index.cjs", { cwd: join(folder, "out") });
    const texts = bundles.map((file) => readFileSync(join(folder, "out", file), "utf8"));
    expect(texts.filter((text) => text.includes("ValidatingAdmissionPolicy"))).toHaveLength(1);
  });

  it("gets constructs and bundles, but no command line, which would need the whole project", async () => {
    const installed = join(folder, "node_modules", name);
    const manifest = await readFile(join(installed, "package.json"), "utf8");
    expect(JSON.parse(manifest)).not.toHaveProperty("bin");
    const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
    const shipped =
      /^(NOTICE|dist\/(access|node)(\/index\.cjs|\.cdx\.json)|dist\/constructs\/(lib|lambda)\/.*\.(js|d\.ts)|lambda\/rights\/[\w-]+\.yaml|package\.json|README\.md|LICENSE)$/;
    expect(files.filter((file) => !shipped.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        "NOTICE",
        "dist/node.cdx.json",
        "dist/node/index.cjs",
        "dist/access/index.cjs",
        "lambda/rights/rbac.yaml",
      ]),
    );
  });

  it("finds its types", async () => {
    const tsc = join(project, "node_modules", ".bin", "tsc");
    await expect(run(tsc, ["-p", folder])).resolves.toMatchObject({ stdout: "" });
  });
});
