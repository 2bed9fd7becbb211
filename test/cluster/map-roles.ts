import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { scripts } from "./held-cluster.ts";
import { type MapRolesAnswer, mapRolesAnswer } from "./map-roles-schema.ts";

const run = promisify(execFile);

/** The authenticator's own reader of `mapRoles`, as a process that answers for one text after the other. */
export class MapRoles {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = process;
    this.#answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  static async start(): Promise<MapRoles> {
    const binaries = (await run(`${scripts}/build`)).stdout.trim();
    return new MapRoles(spawn(`${binaries}/map-roles`, { stdio: ["pipe", "pipe", "inherit"] }));
  }

  /** What the authenticator makes of each text. */
  async read(texts: readonly string[]): Promise<readonly MapRolesAnswer[]> {
    this.#process.stdin.write(texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
    const answers: MapRolesAnswer[] = [];
    for (const text of texts) answers.push(await this.#answer(text));
    return answers;
  }

  stop(): void {
    this.#process.stdin.end();
  }

  async #answer(text: string): Promise<MapRolesAnswer> {
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`map-roles ended at ${JSON.stringify(text)}`);
    return mapRolesAnswer.parse(JSON.parse(value));
  }
}
