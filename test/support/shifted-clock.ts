import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Duration, wholeSeconds } from "../../lambda/base/time.ts";

const preload = new URL("./shifted-clock.js", import.meta.url);
const program = fileURLToPath(new URL("../../bin/eks-node-lifecycle.js", import.meta.url));

/** The environment of a process whose clock is ahead. */
export const shiftedBy = (ahead: Duration): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_SECONDS: String(wholeSeconds(ahead)),
});

/** Runs the command line in a process whose clock is ahead. */
export async function runShifted(ahead: Duration, ...args: readonly string[]) {
  const env = { ...process.env, NO_COLOR: "1", ...shiftedBy(ahead) };
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}
