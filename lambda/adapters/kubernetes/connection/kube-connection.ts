import {
  ApiException,
  type Configuration,
  createConfiguration,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { type Duration, seconds } from "../../../domain/time.ts";
import { ConnectionError } from "../../http/connection-error.ts";
import type { ServerAddress } from "../../http/dial.ts";
import { lostConnection } from "../../http/lost-connection.ts";
import { PersistentTransport } from "../../http/persistent-transport.ts";
import { TimeLimit } from "../../http/time-limit.ts";
import { type TransportRequest, wholeBody } from "../../http/transport.ts";
import { codeOf } from "../objects/status-schema.ts";
import { type WatchQuery, watchEvents, watchRequest } from "./kube-watch.ts";

/** The API server of a cluster, and the user agent that it sees. */
export interface KubeAddress extends ServerAddress {
  readonly userAgent: string;
}

/** What ends a call without an answer. */
export interface CallBounds {
  /** How long the whole answer may take. @default 30 seconds */
  readonly limit?: Duration;
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The transport of requests, which connects when it has to. */
export type KubeTransport = Pick<PersistentTransport, "request" | "open" | "close">;

const usualLimit = seconds(30);

/** A connection to the API server, for requests and for watches. */
export class KubeConnection {
  readonly #transport: KubeTransport;
  readonly #url: string;
  readonly #userAgent: string;
  readonly #token: () => Promise<string>;

  constructor(
    { userAgent, ...address }: KubeAddress,
    token: () => Promise<string>,
    transport: KubeTransport = new PersistentTransport(address),
  ) {
    this.#transport = transport;
    this.#url = address.endpoint.href.replace(/\/$/, "");
    this.#userAgent = userAgent;
    this.#token = token;
  }

  /** The configuration with which client-node sends requests over this connection. */
  configuration(bounds: CallBounds = {}): Configuration {
    return createConfiguration({
      baseServer: new ServerConfiguration(this.#url, {}),
      httpApi: wrapHttpLibrary({ send: (context) => this.#send(context, bounds) }),
    });
  }

  /** Follows a collection, such as `/api/v1/pods`, until the server ends it or the signal does. */
  async *watch(path: string, query: WatchQuery, signal: AbortSignal): AsyncGenerator<unknown> {
    const prepared = await this.#prepare(watchRequest(this.#url + path, query));
    const time = new TimeLimit(usualLimit, signal);
    const request = { ...prepared, signal: time.signal };
    try {
      const answer = await this.#transport.request(request);
      if (answer.status === 200) time.lift();
      yield* watchEvents(answer);
    } catch (error) {
      if (!signal.aborted) throw failure(request, error);
    } finally {
      time.lift();
    }
  }

  /** Opens the connection ahead of the first call. */
  async open(): Promise<void> {
    await this.#transport.open();
  }

  /** Cuts off all calls; a later call connects again. */
  close(): void {
    this.#transport.close();
  }

  async #send(context: RequestContext, bounds: CallBounds): Promise<ResponseContext> {
    const { limit = usualLimit, signal } = bounds;
    const prepared = await this.#prepare(context);
    const time = new TimeLimit(limit, signal, context.getSignal());
    const request = { ...prepared, signal: time.signal };
    try {
      const { status, headers, body } = await this.#transport.request(request);
      const bytes = await wholeBody(body);
      const code = prepared.method === "GET" ? status : codeOf(status, bytes.toString());
      return new ResponseContext(code, headers, new SelfDecodingBody(Promise.resolve(bytes)));
    } catch (error) {
      throw failure(request, error);
    } finally {
      time.lift();
    }
  }

  async #prepare(context: RequestContext): Promise<Omit<TransportRequest, "signal">> {
    const { pathname, search } = new URL(context.getUrl());
    const body = context.getBody()?.toString();
    const given = Object.entries(context.getHeaders());
    const headers = {
      ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
      "user-agent": this.#userAgent,
      authorization: `Bearer ${await this.#token()}`,
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    };
    return { method: context.getHttpMethod(), path: pathname + search, headers, body };
  }
}

/** The error to throw for a failed request: the reason of its cancellation, or a failure of the connection. */
function failure({ method, path, signal }: TransportRequest, error: unknown): unknown {
  if (error instanceof ApiException) return error;
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (signal.aborted && !(cause instanceof ConnectionError)) return cause;
  return lostConnection(cause).during(`${method} ${path.split("?", 1)}`);
}
