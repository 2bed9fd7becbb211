import http from "node:http";
import { urlToHttpOptions } from "node:url";
import {
  plainHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  trustedFor,
} from "./transport.ts";

/** A request whose headers may each have several lines. */
interface Http1Request extends Omit<TransportRequest, "headers"> {
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Sends requests over kept-alive HTTP/1.1 connections, one for each request under way. */
export class Http1Transport implements Transport {
  readonly #endpoint: URL;
  readonly #agent: http.Agent;
  #heard = Date.now();

  constructor(endpoint: URL, agent: http.Agent) {
    this.#endpoint = endpoint;
    this.#agent = agent;
  }

  get trusted(): boolean {
    return Date.now() - this.#heard < trustedFor;
  }

  request({ body, ...options }: Http1Request): Promise<TransportResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    const { protocol, port } = this.#endpoint;
    // A URL has an IPv6 address in brackets, which no resolver knows.
    const { hostname = "" } = urlToHttpOptions(this.#endpoint);
    const to = { protocol, hostname, port, agent: this.#agent };
    const request = http.request({ ...to, ...options });
    request.once("response", (response) => {
      this.#heard = Date.now();
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers: plainHeaders(headers), body: this.#body(response) });
    });
    request.on("error", reject);
    request.end(body);
    return promise;
  }

  /** Closes the idle connections now, and each busy one after its request. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }

  async *#body(response: http.IncomingMessage): AsyncGenerator<Uint8Array> {
    for await (const chunk of response) {
      this.#heard = Date.now();
      yield chunk;
    }
  }
}
