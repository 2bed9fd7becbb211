import { dial, type ServerAddress } from "./dial.ts";
import { type ConnectionError, lostConnection } from "./lost-connection.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A transport to one server, which connects on demand and again after the connection is lost. */
export class PersistentTransport {
  readonly #address: ServerAddress;
  #transport: Promise<Transport> | undefined;
  #connected: Transport | undefined;
  #closes = 0;

  constructor(address: ServerAddress) {
    this.#address = address;
  }

  /** Sends a request, and repeats it if the connection breaks before an answer and a repeat is safe. */
  async request(request: TransportRequest): Promise<TransportResponse> {
    const closes = this.#closes;
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await (await this.#transportFor(request)).request(request);
      } catch (error) {
        const loss = lostConnection(error);
        const isOver = request.signal.aborted || closes !== this.#closes;
        if (isOver || repeats >= repeatsAfter(loss, request)) throw loss;
      }
    }
  }

  /** Aborts a request only while it waits for a connection. */
  async #transportFor({ signal }: TransportRequest): Promise<Transport> {
    const transport = this.#connected;
    return transport?.trusted ? transport : unlessAborted(this.open(), signal);
  }

  /** Connects unless there is a connection; replaces a connection that is no longer trusted. */
  async open(): Promise<Transport> {
    const held = this.#transport;
    const transport = await held;
    this.#connected = transport;
    if (transport?.trusted) return transport;
    transport?.retire();
    if (this.#transport === held) this.#transport = undefined;
    this.#transport ??= this.#dial();
    return this.#transport;
  }

  /** Cuts off every request under way; a later request connects again. */
  close(): void {
    this.#closes += 1;
    this.#transport?.then(
      (transport) => transport.close(),
      () => undefined,
    );
    this.#transport = undefined;
    this.#connected = undefined;
  }

  #dial(): Promise<Transport> {
    const dialled = dial(this.#address);
    dialled.catch(() => {
      if (this.#transport === dialled) this.#transport = undefined;
    });
    return dialled;
  }
}

/**
 * The number of times that a request may be repeated without the risk that the server acts twice.
 */
function repeatsAfter({ reason, unsent }: ConnectionError, { method }: TransportRequest): number {
  if (reason !== "reset") return 0;
  if (unsent) return 3;
  return repeatable.has(method) ? 1 : 0;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([promise, aborted]);
}
