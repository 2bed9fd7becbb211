import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder and its block of ports, both reserved for one cluster. */
export interface RunFolder {
  readonly path: string;
  readonly port: number;
}

const blockSize = 200;
/** These ports are below those that Linux gives to outgoing connections (32768 and up). */
const blocks = { first: 12_000, count: 100 };
const controlPlanePorts = [0, 1, 2, 3, 4];
const kubeletPorts = 100;
const roomForMoreNodes = 20;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

async function blockIsFree(port: number, nodes: number): Promise<boolean> {
  const kubelets = Array.from({ length: nodes + roomForMoreNodes }, (_, at) => kubeletPorts + at);
  const offsets = [...controlPlanePorts, ...kubelets];
  const answers = await Promise.all(offsets.map((offset) => isFree(port + offset)));
  return answers.every((free) => free);
}

/** Creating the folder reserves the block: only one process can create it. */
async function tryTake(port: number, nodes: number): Promise<RunFolder | undefined> {
  const path = join(tmpdir(), `ekn-${port}`);
  const made = await mkdir(path).then(
    () => true,
    () => false,
  );
  if (!made) return undefined;
  if (await blockIsFree(port, nodes)) return { path, port };
  await rm(path, { recursive: true });
  return undefined;
}

/** Reserves a run folder with free ports, so that several test runs can each have a cluster. */
export async function takeRunFolder(nodes: number): Promise<RunFolder> {
  const start = Math.floor(Math.random() * blocks.count);
  for (let tried = 0; tried < blocks.count; tried += 1) {
    const block = (start + tried) % blocks.count;
    const taken = await tryTake(blocks.first + block * blockSize, nodes);
    if (taken !== undefined) return taken;
  }
  throw new Error(`no free block of ports, or no room for a folder in ${tmpdir()}`);
}
