import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The version before this one: the tag of a release, once there is one. */
export const previous = "77fed65b1c4f5979c0d5eb3c93e8f57de5197eab";

const run = promisify(execFile);

/** Builds the functions of the previous version from Git, and returns the folder of their bundles. */
export async function previousBundles(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "previous-"));
  // Without its history a clone cannot say what was before, and this fails with Git's own words.
  const archive = execFileSync("git", ["archive", "--format=tar", previous], {
    maxBuffer: 2 ** 30,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  const { PATH = "" } = process.env;
  await run(process.execPath, [join(folder, "bundle/build.ts")], { cwd: folder, env: { PATH } });
  const made = join(folder, "dist");
  if (!existsSync(join(made, "upgrade"))) throw new Error(`${previous} has built no functions`);
  return made;
}
