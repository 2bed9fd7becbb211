import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";

/** The bundles of an earlier version, for as long as there is no release: see record.ts. */
export const recordedBundles = join(import.meta.dirname, "recorded-bundles.json.br");

/** The bundles of the version before this one, in a folder that the caller removes: of the last release, or else those that are recorded. */
export async function previousBundles(): Promise<string> {
  const release = tryLastRelease(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), "previous-"));
  return release === undefined ? unpacked(folder) : built(release, folder);
}

/**
 * The tag of the last release before a folder's commit. There is none in a new project, in a shallow clone, in a fork that
 * took no tags, and in a folder that is no clone.
 */
export function tryLastRelease(cwd: string): string | undefined {
  const asked = ["describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD^"];
  try {
    return execFileSync("git", asked, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}

/** Builds the functions of a release from Git. */
async function built(release: string, folder: string): Promise<string> {
  const archive = execFileSync("git", ["archive", "--format=tar", release], {
    maxBuffer: 2 ** 30,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  const { PATH = "" } = process.env;
  const build = [join(folder, "tools/bundle/build.ts")];
  await promisify(execFile)(process.execPath, build, { cwd: folder, env: { PATH } });
  return join(folder, "dist");
}

function unpacked(folder: string): string {
  const files: Readonly<Record<string, string>> = Object(
    JSON.parse(brotliDecompressSync(readFileSync(recordedBundles)).toString()),
  );
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "dist", path)), { recursive: true });
    writeFileSync(join(folder, "dist", path), code);
  }
  return join(folder, "dist");
}
