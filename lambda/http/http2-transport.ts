import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { ConnectionError, lostConnection } from "./lost-connection.ts";
import { Semaphore } from "./semaphore.ts";
import {
  plainHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  trustedFor,
} from "./transport.ts";

/** The longest silence of a session with open streams before the transport pings the server. */
const silence = 30_000;
/** The time limit of the server for its answer to the ping. */
const pingTimeout = 15_000;

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** Sends all requests over one HTTP/2 session. */
export class Http2Transport implements Transport {
  readonly #session: ClientHttp2Session;
  readonly #semaphore: Semaphore;
  #retired: boolean = false;
  #heard = Date.now();
  #lastAccepted = Number.POSITIVE_INFINITY;

  /** Takes a session whose server has sent its settings. */
  constructor(session: ClientHttp2Session) {
    this.#session = session;
    this.#semaphore = new Semaphore(() => session.remoteSettings.maxConcurrentStreams ?? 100);
    const pulse = setInterval(() => this.#feelPulse(), pingTimeout).unref();
    session.on("error", () => this.retire()); // each stream reports the error to its own caller
    session.on("goaway", (_code, lastAccepted) => {
      this.#lastAccepted = lastAccepted;
      this.retire();
    });
    session.on("close", () => {
      clearInterval(pulse);
      this.retire();
    });
  }

  get trusted(): boolean {
    const open = !(this.#retired || this.#session.destroyed);
    return open && Date.now() - this.#heard < trustedFor;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    await this.#semaphore.enter(request.signal);
    const stream = this.#begin(request);
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    let failure: unknown;
    let isAnswered = false;
    stream.once("response", (headers) => {
      isAnswered = true;
      this.#heard = Date.now();
      const status = headers[":status"] ?? 0;
      resolve({ status, headers: plainHeaders(headers), body: this.#body(stream) });
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.once("close", () => {
      this.#semaphore.leave();
      if (!isAnswered) reject(this.#loss(stream, failure)); // an error takes its stack when it is made
    });
    stream.end(request.body);
    return promise;
  }

  retire(): void {
    this.#retired = true;
    this.#session.close();
    this.#semaphore.evacuate();
  }

  close(): void {
    this.#session.destroy();
  }

  #begin({ method, path, headers, body, signal }: TransportRequest): ClientHttp2Stream {
    const begun = Date.now();
    const pseudo = { ":method": method, ":path": path };
    try {
      const endStream = body === undefined;
      const stream = this.#session.request({ ...pseudo, ...headers }, { endStream });
      const cancel = () => {
        this.#suspect(begun, signal.reason);
        stream.close(NGHTTP2_CANCEL);
        stream.destroy(signal.reason);
      };
      // Node's own option for this would add a second listener, and remove it again.
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
      return stream;
    } catch (error) {
      this.#semaphore.leave();
      throw lostConnection(error, "unsent");
    }
  }

  #body(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
    return http2Chunks(stream, {
      heard: () => {
        this.#heard = Date.now();
      },
      loss: () => this.#loss(stream, stream.errored),
    });
  }

  #loss({ id, rstCode }: ClientHttp2Stream, failure: unknown): ConnectionError {
    const unsent =
      id === undefined || // the session had ended before the request began
      id > this.#lastAccepted ||
      rstCode === NGHTTP2_REFUSED_STREAM;
    return lostConnection(failure, unsent ? "unsent" : undefined);
  }

  /** Retires the session if a request timed out and nothing at all arrived in the meantime. */
  #suspect(begun: number, reason: unknown): void {
    if (reason instanceof ConnectionError && this.#heard <= begun) this.retire();
  }

  #feelPulse(): void {
    if (this.#semaphore.inside === 0 || Date.now() - this.#heard < silence) return;
    const dead = new ConnectionError("the server no longer answers", { reason: "timeout" });
    const verdict = setTimeout(() => this.#session.destroy(dead), pingTimeout).unref();
    this.#session.ping(() => {
      clearTimeout(verdict);
      this.#heard = Date.now();
    });
  }
}

/** Reads a stream: takes each chunk, and says what to throw if the stream breaks. */
interface ChunkReader {
  heard(): void;
  loss(): unknown;
}

/**
 * The chunks of a stream until it ends or breaks, even if the caller starts to read late.
 *
 * Node's own iterator fails on a stream that was complete before the first read.
 */
async function* http2Chunks(
  stream: ClientHttp2Stream,
  reader: ChunkReader,
): AsyncGenerator<Uint8Array> {
  let { promise: changed, resolve: change } = Promise.withResolvers<void>();
  for (const event of ["readable", "end", "close"]) stream.on(event, () => change());
  try {
    while (!(stream.readableEnded || stream.destroyed)) {
      const chunk = chunkOf(stream, reader);
      if (chunk !== null) yield chunk;
      else await changed;
      ({ promise: changed, resolve: change } = Promise.withResolvers<void>());
    }
  } finally {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
  }
  assertComplete(stream, reader);
}

function chunkOf(stream: ClientHttp2Stream, reader: ChunkReader): Uint8Array | null {
  const chunk: Uint8Array | null = stream.read();
  if (chunk !== null) reader.heard();
  return chunk;
}

function assertComplete({ readableEnded, rstCode }: ClientHttp2Stream, reader: ChunkReader): void {
  const isComplete = readableEnded && rstCode === constants.NGHTTP2_NO_ERROR;
  if (!isComplete) throw reader.loss();
}
