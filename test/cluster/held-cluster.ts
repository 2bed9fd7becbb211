import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

type Held = ChildProcessByStdio<Writable, Readable, Readable>;

/** The folder of the scripts that build, start and end a control plane. */
export const scripts = fileURLToPath(new URL("../control-plane", import.meta.url));

/** Lets this program end without waiting for the cluster, which then ends by itself. */
function unref(child: ChildProcess): void {
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  child.unref();
}

/** Waits for the exports that `up` prints once every node is ready. */
async function standing(child: Held): Promise<void> {
  const complaint = text(child.stderr);
  const [said] = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  if (said instanceof Buffer) return;
  throw new Error(`no control plane: ${(await complaint).trim()}`);
}

/**
 * A running cluster; its process ends the cluster when standard input closes.
 *
 * However this program ends, the pipe breaks, and the cluster's processes and its folder are removed.
 */
export class HeldCluster {
  readonly #child: Held;

  private constructor(child: Held) {
    this.#child = child;
  }

  static async start(nodes: readonly string[], env: NodeJS.ProcessEnv): Promise<HeldCluster> {
    const nodesOrNone = nodes.length === 0 ? ["0"] : nodes;
    const stdio = ["pipe", "pipe", "pipe"] satisfies ["pipe", "pipe", "pipe"];
    // The cluster gets its own session: Ctrl-C must end this program first, and the cluster just
    // after it.
    const child = spawn(`${scripts}/hold`, nodesOrNone, { env, stdio, detached: true });
    await standing(child);
    unref(child);
    return new HeldCluster(child);
  }

  /** Ends every process of the cluster and removes its folder. */
  async release(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.ref();
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }
}
