import { dirname } from "node:path";
import { stop } from "esbuild";
import { buildFunctions } from "../../bundle/build-functions.ts";
import { Fault } from "../../lambda/fault.ts";

let built: Promise<string> | undefined;

/** The folder of the function's bundle. Each run of the command line builds the bundle once. */
export function functionFolder(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const functions = await buildFunctions();
  await stop(); // the build is over, so esbuild's process can end
  const found = functions.find(({ name }) => name === "node");
  if (found === undefined)
    throw new Fault("internal.unexpected", "building the functions: there is none for nodes");
  return dirname(found.file);
}
