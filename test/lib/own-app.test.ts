import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { later, seconds } from "../../lambda/base/time.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { aSite } from "../cli/connect/a-site.ts";
import { drainLog, namesOf } from "../cli/timeline/drain-log.ts";

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
  include: ["app.ts", "types.ts"],
};

async function dependencies(): Promise<Readonly<Record<string, string>>> {
  const manifest = JSON.parse(await readFile(join(project, "package.json"), "utf8")) as Manifest;
  return manifest.dependencies;
}

interface Manifest {
  readonly bin: { readonly [name]: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The files of an unpacked package. */
async function packedFiles(installed: string): Promise<readonly string[]> {
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
}

/** What the README names for those who have a clone. */
const forContributors = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/** The types that an app may want to name. */
const types = [
  "AlarmOptions",
  "AuthenticationMode",
  "ClusterPlace",
  "DrainOptions",
  "EventOptions",
  "FunctionOptions",
  "GroupTag",
  "HookOptions",
  "LaunchOptions",
  "ManagedGroup",
  "NodeLifecycleProps",
  "PrivateService",
  "QueueOptions",
  "RightsApplied",
];

/** The app that the docs show. */
async function documentedApp(): Promise<string> {
  const text = await readFile(join(project, "docs/other-ways.md"), "utf8");
  return /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
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
    for (const other of ["aws-cdk-lib", "constructs", ...Object.keys(await dependencies())])
      await symlink(join(project, "node_modules", other), join(modules, other));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    await writeFile(join(folder, "app.ts"), await documentedApp());
    await writeFile(
      join(folder, "types.ts"),
      `import type { ${types.join(", ")} } from "${name}";`,
    );
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
    expect(texts.filter((text) => text.includes("ValidatingAdmissionPolicyBinding"))).toHaveLength(
      1,
    );
  });

  it("depends on one package besides CDK", async () => {
    expect(Object.keys(await dependencies())).toEqual(["zod"]);
  });

  it("gets constructs, bundles, the command line and documents", async () => {
    const installed = join(folder, "node_modules", name);
    const files = await packedFiles(installed);
    const shipped =
      /^(NOTICE|bin\/eks-node-lifecycle\.js|dist\/(access|hooks|node|repair|upgrade|webhook)(\/[\w.-]+\.cjs|\.cdx\.json)|dist\/cli\/[\w.-]+\.js|dist\/constructs\/(lib|lambda)\/.*\.(js|d\.ts)|lambda\/rights\/[\w-]+\.yaml|clusters\/(sample|cluster\.schema)\.json|docs\/.*|events\/.*|package\.json|README\.md|SECURITY\.md|CHANGELOG\.md|LICENSE)$/;
    expect(files.filter((file) => !shipped.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        "NOTICE",
        "dist/node.cdx.json",
        "dist/node/index.cjs",
        "dist/access/index.cjs",
        "dist/repair/index.cjs",
        "dist/upgrade/index.cjs",
        "dist/webhook/index.cjs",
        "lambda/rights/rbac.yaml",
      ]),
    );
  });

  it("finds everything that the documents link to", async () => {
    const installed = join(folder, "node_modules", name);
    const files = (await packedFiles(installed)).filter((file) => file.endsWith(".md"));
    const links = files.flatMap((file) => {
      const text = readFileSync(join(installed, file), "utf8");
      return [...text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, to = ""]) =>
        join(dirname(file), to),
      );
    });
    expect(links).toContain("docs/runbook.md");
    const missing = links.filter((to) => !existsSync(join(installed, to)));
    expect(missing.filter((to) => !forContributors.includes(to))).toEqual([]);
  });

  it("replays a saved event with the command line", async () => {
    const installed = join(folder, "node_modules", name);
    const manifest = JSON.parse(
      await readFile(join(installed, "package.json"), "utf8"),
    ) as Manifest;
    const [path = ""] = Object.values(manifest.bin);
    const program = join(installed, path);
    const event = join(installed, "events", "sns-asg-test-notification.json");
    const { stdout } = await run(program, ["replay", event], { cwd: folder });
    expect(stdout).toMatch(/\nacknowledged in \d+\.\d s\n$/);
    await expect(run(program, ["manifests", "nowhere"], { cwd: folder })).rejects.toMatchObject({
      code: 1,
    });
  });

  it("works with a cluster and its log by the command line, in a folder that has nothing else, CDK neither", async () => {
    const empty = await mkdtemp(join(tmpdir(), "empty-"));
    onTestFinished(() => rm(empty, { recursive: true }));
    const installed = join(folder, "node_modules", name);
    await cp(installed, join(empty, name), { recursive: true });
    const manifest = JSON.parse(
      await readFile(join(installed, "package.json"), "utf8"),
    ) as Manifest;
    const [path = ""] = Object.values(manifest.bin);
    const { env, aws } = await aSite({ broken: "budget-blocked" });
    const from = later(aws.timeline.now(), seconds(-400));
    for (const line of drainLog({ number: 7, from, pod: "shop/web", end: "drained" }))
      aws.logs.write(`/aws/lambda/${demoNode.names.function}`, line, from);
    const { instance } = namesOf({ number: 7 });
    const { PATH = "" } = process.env;
    /** What a command says, and its exit code. */
    const told = async (...args: readonly string[]) => {
      const place = { cwd: empty, env: { PATH, ...env } };
      const ended = run(join(empty, name, path), [...args], place);
      return ended.then(
        ({ stdout }) => `0 ${stdout}`,
        ({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`,
      );
    };

    const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";
    const [status, plan, drain, timeline, logs, doctor] = await Promise.all([
      told("status", "demo"),
      told("plan", "demo"),
      told("drain", neighbour, "--dry-run", "--cluster", "demo"),
      told("timeline", instance, "--cluster", "demo"),
      told("logs", instance, "--cluster", "demo"),
      told("doctor", "demo"),
    ]);

    expect(status).toMatch(/^0 demo: 1 instance held, /);
    expect(status).toMatch(/held for \d+ s by budget demo\/nginx-demo/);
    expect(status).not.toContain("not read");
    expect(plan).toMatch(/^3 cluster demo: 3 nodes, .*budget demo\/nginx-demo, which can never/s);
    expect(drain).toMatch(/^3 dry run of ip-192-168-43-17.*held {4}demo\/nginx-demo/s);
    expect(timeline).toMatch(/^0 i-07e9ea9eb19a67307 of workers, node .*: drained, after 5 min/);
    expect(logs).toMatch(/^0 .* pass 1 .* done {8}drained\n$/s);
    expect(doctor).toMatch(/^3 .*^ok {7}rbac: the function has \d+ rights, verb by verb$/ms);
  });

  it("finds its types, those of the options too", async () => {
    const tsc = join(project, "node_modules", ".bin", "tsc");
    await expect(run(tsc, ["-p", folder])).resolves.toMatchObject({ stdout: "" });
  });
});
