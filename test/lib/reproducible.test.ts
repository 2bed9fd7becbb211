import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const project = process.cwd();
const parts = ["bin", "tools", "clusters", "lambda", "lib", "package.json", "cdk.json"];

/** The template and the hashes of a project's bundles, synthesised without an account. */
async function synthesised(folder: string): Promise<Readonly<Record<string, string>>> {
  const out = await mkdtemp(join(tmpdir(), "out-"));
  onTestFinished(() => rm(out, { recursive: true }));
  const { PATH = "" } = process.env;
  const env = { PATH, CDK_OUTDIR: out, CDK_CONTEXT_JSON: '{"cluster":"sample"}' };
  await run(process.execPath, [join(folder, "bin/app.ts")], { cwd: folder, env });
  const files = (await readdir(out)).filter((file) => /\.(template|assets)\.json$/.test(file));
  const texts = files.map(async (file) => [file, await readFile(join(out, file), "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
}

/** A copy of the project somewhere else, with bundles of its own. */
async function copyElsewhere(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quite-somewhere-else-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of parts) await cp(join(project, part), join(folder, part), { recursive: true });
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
  const { PATH = "" } = process.env;
  await run(process.execPath, [join(folder, "tools/bundle/build.ts")], {
    cwd: folder,
    env: { PATH },
  });
  return folder;
}

it("the template and the hashes of the bundles are the same, byte for byte, from two folders", async () => {
  const [one, other] = await Promise.all([synthesised(project), copyElsewhere().then(synthesised)]);

  expect(Object.keys(one)).toEqual([
    "EksNodeLifecycle-sample.assets.json",
    "EksNodeLifecycle-sample.template.json",
  ]);
  expect(other).toEqual(one);
  const text = Object.values(one).join("");
  expect(text).not.toContain(tmpdir());
  expect(text).not.toContain(project);
  expect(text.match(/"[0-9a-f]{64}": \{/g)).toHaveLength(4);
});
