import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const enter = (folder: string) => Object.assign(process.env, { TMPDIR: folder });

/**
 * Gives a run a temporary folder of its own and removes it at the end, with whatever the run's tests and processes have
 * left there: CDK, for one, leaves a folder for each `App`.
 */
export function setup(): () => void {
  const outer = tmpdir();
  // Short: the path of a Unix socket may have 107 bytes.
  const folder = mkdtempSync(join(outer, "ekn-"));
  enter(folder);
  return () => {
    enter(outer);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
