import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { newChild } from "./child.ts";
import { medians } from "./figures.ts";
import { environmentForImport, handler } from "./import-figures.ts";

const client = fileURLToPath(new URL("../../../sandbox/lambda/runtime-client.js", import.meta.url));

/**
 * Measures the cost of a sandbox process until it asks for its first event: Node, the runtime's
 * client and the import.
 */
export async function readyFigures(trials: number): Promise<Record<"ready" | "readyCpu", number>> {
  const measured: Record<"ready" | "readyCpu", number>[] = [];
  for (let trial = 0; trial < trials; trial += 1) measured.push(await readyOnce());
  return medians(measured);
}

async function readyOnce() {
  const runtime = createServer(); // it never answers
  runtime.listen(0, "127.0.0.1");
  await once(runtime, "listening");
  const { port } = runtime.address() as AddressInfo;
  const env = {
    ...environmentForImport,
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
    LAMBDA_TASK_ROOT: dirname(handler),
    _HANDLER: "index.handler",
  };
  const spawned = spawn(process.execPath, [client], { env });
  const { began, used } = await newChild();
  await once(runtime, "request");
  const figures = { ready: Math.round(performance.now() - began), readyCpu: used()?.cpu ?? 0 };
  spawned.kill("SIGKILL");
  runtime.closeAllConnections();
  runtime.close();
  await once(spawned, "close");
  return figures;
}
