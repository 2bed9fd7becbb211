import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const patience = { timeout: 20_000, interval: 200 };
const starter = `
  import { readFileSync } from "node:fs";
  import { startControlPlane } from "./test/cluster/control-plane.ts";
  const nodes = [{ name: "lone", instanceId: "i-0dddddddddddddddd", zone: "eu-west-1a" }];
  const { folder } = await startControlPlane({ nodes });
  process.stdout.write(folder + "\\n" + readFileSync(folder + "/pids", "utf8"));
`;

interface Abandoned {
  readonly folder: string;
  readonly pids: readonly string[];
}

async function clusterOf(program: string): Promise<Abandoned> {
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio });
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const [folder = "", ...processes] = printed.trim().split("\n");
  return { folder, pids: processes.map((line) => line.replace(/ .*/, "")) };
}

/**
 * Whether a process runs. One that has ended has no command line, even before its parent collects
 * the exit code.
 */
async function runs(pid: string): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) !== "";
}

it.each([
  ["has ended without stopping it", starter],
  ["has been killed", `${starter} process.kill(process.pid, "SIGKILL");`],
])("a cluster and its folder vanish when the program that started it %s", async (_how, program) => {
  const { folder, pids } = await clusterOf(program);
  expect(folder).toMatch(/ekn-\d+$/);
  expect(pids).toHaveLength(5);

  await expect.poll(() => existsSync(folder), patience).toBe(false);
  expect(await Promise.all(pids.map(runs))).toEqual(pids.map(() => false));
});
