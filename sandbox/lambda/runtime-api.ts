import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Instant } from "../../lambda/base/time.ts";
import { type FunctionError, functionError } from "./invocation.ts";

/** One event on its way to the function. */
export interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly deadline: Instant;
  readonly functionArn: string;
  readonly traceId: string;
}

/** Is called for what a runtime reports. */
export interface RuntimeReports {
  failedToStart(error: FunctionError): void;
  succeeded(payload: unknown): void;
  failed(error: FunctionError): void;
  /** It asks for the next event, so the one before is done. */
  asks(): void;
}

const root = "/2018-06-01/runtime";

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
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

/** The Runtime API of Lambda, for one process. @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html */
export class RuntimeApi {
  readonly #reports: RuntimeReports;
  readonly #server: Server;
  #waiting: ServerResponse | undefined;
  #next: (() => Invocation) | undefined;
  #current = "";

  constructor(reports: RuntimeReports) {
    this.#reports = reports;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Starts to listen, and returns host and port. */
  async start(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = this.#server.address() as AddressInfo;
    return `127.0.0.1:${port}`;
  }

  /** Gives the runtime an event when it asks for one, and calls `invocation` only then. */
  give(invocation: () => Invocation): void {
    this.#next = invocation;
    this.#meet();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
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
      this.#reports.asks();
      this.#meet();
      return;
    }
    const known = this.#report(`${method} ${url}`, await bodyOf(request));
    response.writeHead(known ? 202 : 400, { "content-type": "application/json" });
    const refusal = { errorType: "InvalidRequestID", errorMessage: "Invalid request ID" };
    response.end(JSON.stringify(known ? { status: "OK" } : refusal));
  }

  #report(asked: string, body: string): boolean {
    if (asked === `POST ${root}/init/error`) {
      this.#reports.failedToStart(functionError(JSON.parse(body)));
      return true;
    }
    const [, id, kind] = /^POST .*\/invocation\/([\w-]+)\/(response|error)$/.exec(asked) ?? [];
    if (id === undefined || id !== this.#current) return false;
    this.#current = "";
    const said = JSON.parse(body);
    if (kind === "response") this.#reports.succeeded(said);
    else this.#reports.failed(functionError(said));
    return true;
  }
}
