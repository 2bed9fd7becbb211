import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const project = process.cwd();
const parts = ["bin", "bundle", "clusters", "lambda", "lib", "package.json", "cdk.json"];

/** Bundles and synthesises a copy of the project somewhere else, without an account. */
async function synthesisedElsewhere(name: string): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), name));
  try {
    for (const part of parts)
      await cp(join(project, part), join(folder, part), { recursive: true });
    await symlink(join(project, "node_modules"), join(folder, "node_modules"));
    const { PATH = "" } = process.env;
    const env = { PATH, CDK_OUTDIR: join(folder, "out"), CDK_CONTEXT_JSON: '{"cluster":"sample"}' };
    for (const file of ["bundle/build.ts", "bin/app.ts"])
      await run(process.execPath, [join(folder, file)], { cwd: folder, env });
    const wanted = /\.(template|assets)\.json$/;
    const files = (await readdir(join(folder, "out"))).filter((file) => wanted.test(file));
    const texts = files.map(async (file) => [
      file,
      await readFile(join(folder, "out", file), "utf8"),
    ]);
    return Object.fromEntries(await Promise.all(texts));
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("the template and the hashes of the bundles are the same, byte for byte, from two folders", async () => {
  const one = await synthesisedElsewhere("here-");
  const other = await synthesisedElsewhere("quite-somewhere-else-");

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
