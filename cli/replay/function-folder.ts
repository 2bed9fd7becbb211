import { existsSync } from "node:fs";
import { join } from "node:path";
import { isCurrent } from "../../bundle/is-current.ts";
import { projectRoot } from "../../bundle/project-root.ts";

/** A function that a replay runs. */
type Replayed = "node" | "upgrade";

const folderOf = (name: Replayed): string => join(projectRoot, "dist", name);
let built: Promise<void> | undefined;

/** The folder of a function's bundle. A checkout builds it unless it is current; an installed package has it already. */
export async function functionFolder(name: Replayed = "node"): Promise<string> {
  if (!isMade(name)) {
    built ??= build();
    await built;
  }
  return folderOf(name);
}

const isMade = (name: Replayed): boolean =>
  !existsSync(join(projectRoot, "lambda", `${name}-handler.ts`)) || isCurrent(projectRoot, name);

async function build(): Promise<void> {
  const [{ buildFunctions }, { stop }] = await Promise.all([
    import("../../bundle/build-functions.ts"),
    import("esbuild"),
  ]);
  await buildFunctions();
  await stop(); // the build is over, so esbuild's process can end
}
