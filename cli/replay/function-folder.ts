import { dirname } from "node:path";
import { stop } from "esbuild";
import { buildFunctions } from "../../bundle/build-functions.ts";
import { Fault } from "../../lambda/fault.ts";

let built: Promise<string> | undefined;

/** The folder of the function's bundle, which is built anew once for each run of the command line. */
export function functionFolder(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const functions = await buildFunctions();
  await stop(); // esbuild's own process is of no more use
  const found = functions.find(({ name }) => name === "node");
  if (found === undefined)
    throw new Fault("internal.unexpected", "building the functions: there is none for nodes");
  return dirname(found.file);
}
