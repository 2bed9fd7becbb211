import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A cluster and whom kubectl speaks for. */
export interface KubectlTarget {
  /** The folder that kubectl is in. */
  readonly binaries: string;
  readonly kubeconfig: string;
  /** Where it keeps what it has learnt of the API. */
  readonly cache: string;
}

/** Runs kubectl, with a text as its input, and returns what it prints. */
export async function kubectl(
  target: KubectlTarget,
  args: readonly string[],
  input = "",
): Promise<string> {
  const own = [`--kubeconfig=${target.kubeconfig}`, `--cache-dir=${target.cache}`];
  const child = spawn(`${target.binaries}/kubectl`, [...own, ...args]);
  // It may end before it has read all, or anything; whether that is well its exit code tells.
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
