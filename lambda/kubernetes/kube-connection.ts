import { type Duration, seconds } from "../base/time.ts";
import type { ServerAddress } from "../http/dial.ts";
import { LongAnswer, megabyte } from "../http/long-answer.ts";
import { ConnectionError, lostConnection } from "../http/lost-connection.ts";
import { PersistentTransport } from "../http/persistent-transport.ts";
import { TimeLimit } from "../http/time-limit.ts";
import { type TransportRequest, type TransportResponse, wholeBody } from "../http/transport.ts";
import { type WatchQuery, watchEvents, watchPath } from "./kube-watch.ts";
import { PodRoom } from "./pod-room.ts";
import { codeOf, RefusedRequest } from "./refused-request.ts";
import { SharedBytes } from "./shared-bytes.ts";

/** The API server of a cluster, and the user agent that it sees. */
export interface KubeAddress extends ServerAddress {
  readonly userAgent: string;
}

/** The limits that end a call without an answer. */
export interface CallBounds {
  /** The time limit of the whole answer. @default 30 seconds */
  readonly limit?: Duration;
  /** The most bytes of the answer. @default 64 MB */
  readonly most?: number;
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** The namespace of the pod that is evicted or deleted. These calls may last long, so others do not share their room. */
  readonly podOf?: string;
}

/** A request without the token, which the connection adds. */
type PlainRequest = Omit<TransportRequest, "signal">;

/** A whole answer; its status is that of its body where the two differ. */
interface PlainAnswer extends Omit<TransportResponse, "body"> {
  readonly bytes: Buffer;
}

/** The transport of requests, which connects when it has to. */
export type KubeTransport = Pick<PersistentTransport, "request" | "open" | "close">;

const usualLimit = seconds(30);
// Others make objects as large as they like, and the function has 512 MB.
const usualMost = 64 * megabyte;

/** A connection to the API server, for requests and for watches. */
export class KubeConnection {
  /** What pages that are read at once share. Each takes up to six times as much memory while it is read. */
  readonly pages = new SharedBytes({ all: 48_000_000, most: 8_000_000, least: 2_000_000 });
  readonly #transport: KubeTransport;
  readonly #second: KubeTransport;
  readonly #podRoom = new PodRoom();
  /** The path of the endpoint, which a proxy may have. */
  readonly #root: string;
  readonly #userAgent: string;
  readonly #token: () => Promise<string>;

  constructor(
    { userAgent, ...address }: KubeAddress,
    token: () => Promise<string>,
    transport: KubeTransport = new PersistentTransport(address),
    /** For many evictions at once, which would leave others no room. @default the same */
    second: KubeTransport = transport,
  ) {
    this.#transport = transport;
    this.#second = second;
    this.#root = address.endpoint.pathname.replace(/\/$/, "");
    this.#userAgent = userAgent;
    this.#token = token;
  }

  /** Sends a request, and reads the whole answer. */
  async send(given: PlainRequest, bounds: CallBounds = {}): Promise<PlainAnswer> {
    const { limit = usualLimit, most = usualMost, signal, podOf } = bounds;
    const prepared = await this.#prepare(given);
    const time = new TimeLimit(limit, signal);
    const request = { ...prepared, signal: time.signal };
    const ask = (transport: KubeTransport) => answerOf(request, most, transport);
    try {
      if (podOf === undefined) return await ask(this.#transport);
      return await this.#podRoom.run(podOf, time.signal, (place) =>
        ask(place === "apart" ? this.#second : this.#transport),
      );
    } catch (error) {
      throw failure(request, error);
    } finally {
      time.lift();
    }
  }

  /** Follows a collection, such as `/api/v1/pods`, until the server ends it or the signal does. */
  async *watch(path: string, query: WatchQuery, signal: AbortSignal): AsyncGenerator<unknown> {
    const asked = { method: "GET", path: watchPath(path, query), headers: {}, body: undefined };
    const prepared = await this.#prepare(asked);
    const time = new TimeLimit(usualLimit, signal);
    const request = { ...prepared, signal: time.signal };
    try {
      const answer = await this.#transport.request(request);
      if (answer.status === 200) time.lift();
      yield* await watchEvents(answer);
    } catch (error) {
      if (!signal.aborted) throw failure(request, error);
    } finally {
      time.lift();
    }
  }

  /** Opens the connection ahead of the first call, and meanwhile makes the token that the call needs. */
  async open(): Promise<void> {
    await Promise.all([this.#transport.open(), this.#token()]);
  }

  /** Cuts off all calls; a later call connects again. */
  close(): void {
    this.#transport.close();
    this.#second.close();
  }

  async #prepare({ method, path, headers, body }: PlainRequest): Promise<PlainRequest> {
    const own = {
      "user-agent": this.#userAgent,
      authorization: `Bearer ${await this.#token()}`,
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    };
    return { method, path: this.#root + path, headers: { ...headers, ...own }, body };
  }
}

async function answerOf(
  request: TransportRequest,
  most: number,
  transport: KubeTransport,
): Promise<PlainAnswer> {
  const { status, headers, body } = await transport.request(request);
  const bytes = await wholeBody(body, most);
  const code = request.method === "GET" ? status : codeOf(status, bytes.toString());
  return { status: code, headers, bytes };
}

/** The error to throw for a failed request: the reason of its cancellation, or a failure of the connection. */
function failure({ method, path, signal }: TransportRequest, error: unknown): unknown {
  if (error instanceof RefusedRequest || error instanceof LongAnswer) return error;
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (signal.aborted && !(cause instanceof ConnectionError)) return cause;
  return lostConnection(cause).during(`${method} ${path.split("?", 1)}`);
}

/** A call of the Kubernetes API, over the connection that it is given. */
export type KubeCall<T> = (connection: KubeConnection) => Promise<T>;

/** A client of one API server, which chooses the connection for each call. */
export interface KubeClient {
  /** Calls, and retries while the server throttles or fails for a moment. Throws a fault that says what was being done. */
  ask<T>(doing: string, call: KubeCall<T>): Promise<T>;
  /** Calls without waiting for a server that throttles or fails, and throws what the call throws. */
  once<T>(call: KubeCall<T>): Promise<T>;
}
