import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A cluster, and the user of kubectl there. */
export interface KubectlTarget {
  /** The folder of the kubectl binary. */
  readonly binaries: string;
  readonly kubeconfig: string;
  /** The folder of kubectl's cache of the API's resources. */
  readonly cache: string;
}

/** Runs kubectl with a text as its input, and returns its output. */
export async function kubectl(
  target: KubectlTarget,
  args: readonly string[],
  input = "",
): Promise<string> {
  const own = [`--kubeconfig=${target.kubeconfig}`, `--cache-dir=${target.cache}`];
  const child = spawn(`${target.binaries}/kubectl`, [...own, ...args]);
  // kubectl may end before it has read all of its input; the exit code says whether that is an
  // error.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [printed, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code === 0) return printed;
  throw new Error(`kubectl ${args.join(" ")}: ${complaint.trim()}`);
}
