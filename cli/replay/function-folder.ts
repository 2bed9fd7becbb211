import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isCurrent } from "../../bundle/is-current.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { Fault } from "../../lambda/fault.ts";

let built: Promise<string> | undefined;

/** The folder of the function's bundle. A checkout builds it unless it is current; an installed package has it already. */
export function functionFolder(): Promise<string> {
  built ??= isMade() ? Promise.resolve(join(projectRoot, "dist", "node")) : build();
  return built;
}

const isMade = (): boolean =>
  !existsSync(join(projectRoot, "lambda", "node-handler.ts")) || isCurrent(projectRoot, "node");

async function build(): Promise<string> {
  const [{ buildFunctions }, { stop }] = await Promise.all([
    import("../../bundle/build-functions.ts"),
    import("esbuild"),
  ]);
  const functions = await buildFunctions();
  await stop(); // the build is over, so esbuild's process can end
  const found = functions.find(({ name }) => name === "node");
  if (found === undefined)
    throw new Fault("internal.unexpected", "building the functions: there is none for nodes");
  return dirname(found.file);
}
