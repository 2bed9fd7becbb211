import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { FunctionError, LogListener } from "./invocation.ts";
import { type Invocation, RuntimeApi } from "./runtime-api.ts";

/** What a process is started with. */
export interface ProcessSpec {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In MB. */
  readonly memory: number;
  readonly log: LogListener;
}

/** What came of the event that a process was given. */
export type ProcessOutcome =
  | { readonly kind: "died"; readonly why: string }
  | { readonly kind: "failed"; readonly error: FunctionError }
  | { readonly kind: "failed-to-start"; readonly error: FunctionError }
  | { readonly kind: "succeeded"; readonly payload: unknown };

const client = fileURLToPath(new URL("./runtime-client.js", import.meta.url));

/** Waits two turns of the event loop, in which the rest of the output arrives. */
const pipesRead = async (): Promise<void> => {
  for (const _ of [1, 2]) await new Promise((next) => setImmediate(next));
};

const causeOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exit status ${code}` : `signal: ${signal === "SIGKILL" ? "killed" : signal}`;

/** One process of a function. It works on one event at a time, and lives on between them. */
export class FunctionProcess {
  readonly #spec: ProcessSpec;
  readonly #api: RuntimeApi;
  #child: ChildProcess | undefined;
  #startError: FunctionError | undefined;
  #answered: ProcessOutcome | undefined;
  #settle: ((outcome: ProcessOutcome) => void) | undefined;
  #alive = true;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
    this.#api = new RuntimeApi({
      failedToStart: (error) => {
        this.#startError = error;
      },
      succeeded: (payload) => {
        this.#answered = { kind: "succeeded", payload };
      },
      failed: (error) => {
        this.#answered = { kind: "failed", error };
      },
      asks: () => this.#end(),
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  get busy(): boolean {
    return this.#settle !== undefined;
  }

  /** Starts the process; it loads the function by itself. */
  async start(): Promise<void> {
    const { folder, environment, memory } = this.#spec;
    const host = await this.#api.start();
    const child = spawn(process.execPath, [`--max-old-space-size=${memory}`, client], {
      cwd: folder,
      env: { ...environment, AWS_LAMBDA_RUNTIME_API: host },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#read(child.stdout);
    this.#read(child.stderr);
    child.on("close", (code, signal) => this.#died(causeOf(code, signal)));
    child.on("error", (error) => this.#died(error.message));
    if (!this.alive) child.kill("SIGKILL"); // killed before it began
  }

  /** Gives the process an event once it asks for one, and waits for what becomes of it. */
  give(invocation: () => Invocation): Promise<ProcessOutcome> {
    const { promise, resolve } = Promise.withResolvers<ProcessOutcome>();
    this.#settle = resolve;
    this.#api.give(invocation);
    return promise;
  }

  /** Ends the process, whatever it is doing. */
  kill(): void {
    this.#alive = false;
    this.#child?.kill("SIGKILL");
    this.#api.close();
  }

  /** Reads lines. A carriage return does not end a line: the runtime writes it for a line feed inside one. */
  #read(stream: Readable): void {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) this.#spec.log({ source: "function", text });
    });
    stream.on("end", () => {
      if (rest !== "") this.#spec.log({ source: "function", text: rest });
    });
  }

  #died(why: string): void {
    this.#alive = false;
    this.#api.close();
    const error = this.#startError;
    this.#answered ??=
      error === undefined ? { kind: "died", why } : { kind: "failed-to-start", error };
    this.#end();
  }

  /** Settles the event, once the process has asked for the next one or died. */
  #end(): void {
    const [settle, outcome] = [this.#settle, this.#answered];
    if (settle === undefined || outcome === undefined) return;
    this.#answered = undefined;
    pipesRead().then(
      () => {
        this.#settle = undefined;
        settle(outcome);
      },
      () => undefined,
    );
  }
}
