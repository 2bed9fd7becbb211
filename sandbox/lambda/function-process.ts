import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Instant } from "../../lambda/base/time.ts";
import { listening } from "../servers/listening.ts";
import { type FunctionError, functionError, type LogListener } from "./invocation.ts";

/** One event on its way to the function. */
export interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly deadline: Instant;
  readonly functionArn: string;
  readonly traceId: string;
}

/** The start parameters of a process. */
export interface ProcessSpec {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In MB. */
  readonly memory: number;
  readonly log: LogListener;
}

/** The result of the event that a process was given. */
export type ProcessOutcome =
  | { readonly kind: "died"; readonly why: string }
  | { readonly kind: "failed"; readonly error: FunctionError }
  | { readonly kind: "failed-to-start"; readonly error: FunctionError }
  | { readonly kind: "succeeded"; readonly payload: unknown };

const ownClient = fileURLToPath(new URL("./runtime-client.js", import.meta.url));

/** The file of the runtime client, and its arguments; AWS' own takes the handler as one. `LAMBDA_RUNTIME_CLIENT` names it. */
const clientFor = ({ _HANDLER: handler = "" }: ProcessSpec["environment"]): readonly string[] => {
  const { LAMBDA_RUNTIME_CLIENT: foreign } = process.env;
  return foreign === undefined ? [ownClient] : [foreign, handler];
};

const root = "/2018-06-01/runtime";

/**
 * The most bytes of a response: 6 MB and 100 bytes.
 * @see https://github.com/aws/aws-lambda-runtime-interface-emulator/blob/develop/internal/lambda/interop/model.go
 */
const largestResponse = 6_291_556;

const tooLarge: FunctionError = {
  errorType: "Function.ResponseSizeTooLarge",
  errorMessage: `Response payload size exceeded maximum allowed payload size (${largestResponse} bytes).`,
  trace: [],
};

const said = {
  202: "OK",
  400: "Invalid request ID",
  413: "Exceeded maximum allowed payload size",
} as const;

/** Waits two turns of the event loop, in which the rest of the output arrives. */
const pipesRead = async (): Promise<void> => {
  for (const _ of [1, 2]) await new Promise((next) => setImmediate(next));
};

/** The words that Lambda, a program in Go, has for signals. */
const signalWords: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGTERM: "terminated",
};

/** @see https://github.com/aws/aws-lambda-runtime-interface-emulator/blob/develop/internal/lambda/rapid/handlers.go */
function causeOf(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === 0) return "without providing a reason";
  return `with error: ${signal === null ? `exit status ${code}` : `signal: ${signalWords[signal] ?? signal}`}`;
}

function hand(response: ServerResponse, invocation: Invocation): void {
  response.writeHead(200, {
    "content-type": "application/json",
    "Lambda-Runtime-Aws-Request-Id": invocation.id,
    "Lambda-Runtime-Deadline-Ms": String(invocation.deadline),
    "Lambda-Runtime-Invoked-Function-Arn": invocation.functionArn,
    "Lambda-Runtime-Trace-Id": invocation.traceId,
  });
  response.end(JSON.stringify(invocation.event));
}

/**
 * One process of a function, with the Runtime API that it talks to. It works on one event at a time, and lives on between them.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class FunctionProcess {
  readonly #spec: ProcessSpec;
  readonly #api = createServer((request, response) => {
    // The process loses its connection and ends, which settles its event.
    this.#serve(request, response).catch(() => response.destroy());
  });
  #child: ChildProcess | undefined;
  #startError: FunctionError | undefined;
  #answered: ProcessOutcome | undefined;
  #settle: ((outcome: ProcessOutcome) => void) | undefined;
  #alive = true;
  /** The request of the process for its next event, and that event; whichever comes first waits for the other. */
  #waiting: ServerResponse | undefined;
  #next: (() => Invocation) | undefined;
  #current = "";

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
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
    const host = await listening(this.#api);
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${memory}`, ...clientFor(environment)],
      {
        cwd: folder,
        env: { ...environment, AWS_LAMBDA_RUNTIME_API: host },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    this.#read(child.stdout);
    this.#read(child.stderr);
    child.on("close", (code, signal) => this.#died(causeOf(code, signal)));
    child.on("error", (error) => this.#died(`with error: ${error.message}`));
    if (!this.alive) child.kill("SIGKILL"); // killed before it began
  }

  /** Gives the process an event once it asks for one, and calls `invocation` only then; waits for what becomes of it. */
  give(invocation: () => Invocation): Promise<ProcessOutcome> {
    const { promise, resolve } = Promise.withResolvers<ProcessOutcome>();
    this.#settle = resolve;
    this.#next = invocation;
    this.#meet();
    return promise;
  }

  /** Ends the process, whatever it is doing. */
  kill(): void {
    this.#alive = false;
    this.#child?.kill("SIGKILL");
    this.#close();
  }

  #close(): void {
    this.#api.close();
    this.#api.closeAllConnections();
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

  #meet(): void {
    if (this.#waiting === undefined || this.#next === undefined) return;
    const [waiting, next] = [this.#waiting, this.#next];
    this.#waiting = undefined;
    this.#next = undefined;
    const invocation = next();
    this.#current = invocation.id;
    hand(waiting, invocation);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    if (method === "GET" && url === `${root}/invocation/next`) {
      this.#waiting = response;
      this.#end();
      this.#meet();
      return;
    }
    const status = this.#report(`${method} ${url}`, await textOf(request));
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: said[status] }));
  }

  /** Notes what the runtime reports; 400 if that is about no event that it has, 413 if it is too large. */
  #report(asked: string, body: string): keyof typeof said {
    if (asked === `POST ${root}/init/error`) {
      this.#startError = functionError(JSON.parse(body));
      return 202;
    }
    const [, id, kind] = /^POST .*\/invocation\/([\w-]+)\/(response|error)$/.exec(asked) ?? [];
    if (id === undefined || id !== this.#current) return 400;
    this.#current = "";
    if (Buffer.byteLength(body) > largestResponse) {
      this.#answered = { kind: "failed", error: tooLarge };
      return 413;
    }
    const reported = JSON.parse(body);
    this.#answered =
      kind === "response"
        ? { kind: "succeeded", payload: reported }
        : { kind: "failed", error: functionError(reported) };
    return 202;
  }

  #died(why: string): void {
    this.#alive = false;
    this.#close();
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
