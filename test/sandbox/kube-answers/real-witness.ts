import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Question, Reply, Witness } from "./witness.ts";

/** A control plane that `test/control-plane/up` has started, found by its folder. */
export class RealWitness implements Witness {
  readonly #run: string;
  readonly #port: number;

  constructor(run: string) {
    this.#run = run;
    this.#port = Number(this.#read("port"));
  }

  #read(name: string): string {
    return readFileSync(join(this.#run, name), "utf8").trim();
  }

  #processId(name: string): number {
    const line = this.#read("pids")
      .split("\n")
      .find((entry) => entry.endsWith(` ${name}`));
    return Number(line?.split(" ")[0]);
  }

  ask({ method = "GET", path, body, headers = {}, as = "admin" }: Question): Promise<Reply> {
    const text = typeof body === "string" ? body : JSON.stringify(body ?? "").replace(/^""$/, "");
    const identity =
      as === "admin" ? { cert: this.#read("pki/admin.crt"), key: this.#read("pki/admin.key") } : {};
    const token = as === "impostor" ? { authorization: "Bearer nobody" } : {};
    const length = { "content-length": String(Buffer.byteLength(text)) };
    const sent = { "content-type": "application/json", ...length, ...token, ...headers };
    return new Promise((resolve, reject) => {
      const options = { method, headers: sent, ca: this.#read("pki/ca.crt"), ...identity };
      const url = `https://127.0.0.1:${this.#port}${path}`;
      const call = request(url, { ...options, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Reply["headers"],
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      call.on("error", reject);
      call.end(text);
    });
  }

  async pass(): Promise<void> {
    await wait(100);
  }

  async holdBudgets(): Promise<void> {
    process.kill(this.#processId("controller-manager"), "SIGSTOP");
  }

  async releaseBudgets(): Promise<void> {
    process.kill(this.#processId("controller-manager"), "SIGCONT");
  }

  async endNamespace(name: string): Promise<void> {
    await this.ask({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
  }

  /** Compacts etcd and restarts the API server, so that no cache remembers older versions. */
  async forgetHistory(): Promise<void> {
    const before = this.#processId("apiserver");
    const [command = "", ...args] = readFileSync(`/proc/${before}/cmdline`, "utf8")
      .split("\0")
      .filter(Boolean);
    process.kill(before);
    while (isRunning(before)) await wait(50);
    const etcd = (call: string, body: object) =>
      execFileSync("curl", [
        "-s",
        `http://127.0.0.1:${this.#port + 1}/v3/kv/${call}`,
        "-d",
        JSON.stringify(body),
      ]).toString();
    const range = JSON.parse(etcd("range", { key: "YQ==" })) as { header: { revision: string } };
    etcd("compaction", { revision: range.header.revision });
    const started = spawn(command, args, { cwd: this.#run, detached: true, stdio: "ignore" });
    started.unref();
    const pids = this.#read("pids").replace(`${before} apiserver`, `${started.pid} apiserver`);
    writeFileSync(join(this.#run, "pids"), `${pids}\n`);
    for (let tries = 0; tries < 100; tries += 1) {
      const reply = await this.ask({ path: "/readyz" }).catch(() => undefined);
      if (reply?.status === 200) return;
      await wait(200);
    }
    throw new Error("the API server has not come back");
  }
}

/** Whether a process runs; one that has ended may stay in the list until its parent has seen that. */
function isRunning(pid: number): boolean {
  try {
    return !/^.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
