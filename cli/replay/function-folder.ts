import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../../bundle/project-root.ts";
import { Fault } from "../../lambda/fault.ts";

let built: Promise<string> | undefined;

/** The folder of the function's bundle. Each run of the command line builds the bundle once; an installed package has it already. */
export function functionFolder(): Promise<string> {
  built ??= existsSync(join(projectRoot, "lambda", "node-handler.ts"))
    ? build()
    : Promise.resolve(join(projectRoot, "dist", "node"));
  return built;
}

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
