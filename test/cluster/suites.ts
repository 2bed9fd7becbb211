import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { scripts } from "./held-cluster.ts";

/**
 * Returns the folder with the control plane's binaries; builds them if necessary, and prints the
 * progress.
 */
async function tryBuild(): Promise<string | undefined> {
  const child = spawn(`${scripts}/build`, { stdio: ["ignore", "pipe", "inherit"] });
  const [folder, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return code === 0 ? folder.trim() : undefined;
}

/** Runs suites that need a real control plane, and returns the exit code. */
export async function runSuites(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<number> {
  const binaries = await tryBuild();
  if (binaries === undefined) return 1;
  const env = { ...process.env, ...variables, KUBEBUILDER_ASSETS: binaries };
  const child = spawn("vitest", ["run", "--project", "cluster", ...args], {
    env,
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  return typeof code === "number" ? code : 1;
}
