import type { ConnectionError } from "./connection-error.ts";
import { dial, type ServerAddress } from "./dial.ts";
import { lostConnection } from "./lost-connection.ts";
import type { Wire, WireAnswer, WireRequest } from "./transport.ts";

const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A way to one server that is opened when it is needed, and anew when it is lost. */
export class PersistentWire {
  readonly #address: ServerAddress;
  #wire: Promise<Wire> | undefined;

  constructor(address: ServerAddress) {
    this.#address = address;
  }

  /** Gets an answer, asking again if the connection broke before there was one and that does no harm. */
  async request(request: WireRequest): Promise<WireAnswer> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        const wire = await unlessAborted(this.open(), request.signal);
        return await wire.request(request);
      } catch (error) {
        const loss = lostConnection(error);
        if (request.signal.aborted || repeats >= repeatsAfter(loss, request)) throw loss;
      }
    }
  }

  /** Opens the way unless it is open; what is no longer trusted is replaced. */
  async open(): Promise<Wire> {
    const held = this.#wire;
    const wire = await held;
    if (wire?.trusted) return wire;
    wire?.retire();
    if (this.#wire === held) this.#wire = undefined;
    this.#wire ??= this.#dial();
    return this.#wire;
  }

  /** Cuts off every request under way; a later one opens the way again. */
  close(): void {
    this.#wire?.then(
      (wire) => wire.close(),
      () => undefined,
    );
    this.#wire = undefined;
  }

  #dial(): Promise<Wire> {
    const dialled = dial(this.#address);
    dialled.catch(() => {
      if (this.#wire === dialled) this.#wire = undefined;
    });
    return dialled;
  }
}

/** How often a request may be repeated: the server must not act twice. */
function repeatsAfter({ reason, unsent }: ConnectionError, { method }: WireRequest): number {
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
