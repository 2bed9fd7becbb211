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

/** Runs the suites that need a real control plane, and returns the exit code. */
async function runSuites(binaries: string): Promise<number> {
  const env = { ...process.env, KUBEBUILDER_ASSETS: binaries };
  const args = ["run", "--project", "cluster", ...process.argv.slice(2)];
  const child = spawn("vitest", args, { env, stdio: "inherit" });
  const [code] = await once(child, "close");
  return typeof code === "number" ? code : 1;
}

const binaries = await tryBuild();
process.exitCode = binaries === undefined ? 1 : await runSuites(binaries);
