import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, createSecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:https";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { tlsIdentity } from "../../test/adapters/loopback.ts";

/** The highest protocol that a server speaks. */
export type Protocol = "h2" | "http/1.1";

interface Exchange {
  /** Over HTTP/2 only. */
  readonly stream: ServerHttp2Stream | undefined;
  readonly response: ServerResponse;
  /** How many requests for this path there have been. */
  readonly count: number;
  /** Breaks every connection. */
  readonly cut: () => void;
}

const leaving = new WeakSet<object>();

async function answer({ response }: Exchange): Promise<void> {
  await sleep(5);
  if (!response.destroyed) response.writeHead(201).end('{"kind":"Status","status":"Success"}');
}

/** Asks the client to leave, as Go's server does: later requests on the connection are ignored. */
function leave(exchange: Exchange): unknown {
  const { stream, response, count } = exchange;
  const session = stream?.session ?? response;
  if (leaving.has(session)) return undefined;
  if (count >= 20 && stream === undefined) response.setHeader("connection", "close");
  if (count === 20 && stream !== undefined) {
    stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
    leaving.add(session);
  }
  return answer(exchange);
}

/** How the server handles a request, by its path. */
const fates: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  "/answer": answer,
  "/watch": ({ response }) => response.writeHead(200).write('{"type":"ADDED"}\n'),
  "/hang": () => undefined,
  "/refuse": (exchange) =>
    exchange.count <= 3 && exchange.stream !== undefined
      ? exchange.stream.close(constants.NGHTTP2_REFUSED_STREAM)
      : answer(exchange),
  "/break": (exchange) => (exchange.count === 50 ? exchange.cut() : answer(exchange)),
  "/goaway": leave,
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (server: Server) => once(server.listen(0, "127.0.0.1"), "listening");

/** Relays bytes to a server, until it cuts its connections or lets them go dead. */
async function relayTo(port: number) {
  const links = new Set<Socket>();
  const relay = net.createServer((near) => {
    const far = net.connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    links.add(near).add(far);
    for (const link of [near, far]) link.setNoDelay().on("error", () => undefined);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await listen(relay);
  return {
    url: `https://127.0.0.1:${portOf(relay)}`,
    connections: () => links.size / 2,
    /** Stops relaying on all open connections without closing them; new connections work. */
    deafen() {
      for (const link of links) link.unpipe().pause();
    },
    cut() {
      for (const link of links) link.destroy();
    },
    close: () => relay.close(),
  };
}

/** Starts a server that answers evictions and a watch like an API server. */
export async function serve(protocol: Protocol) {
  const identity = { ...(await tlsIdentity()), allowHTTP1: true };
  // As many streams as the real API server allows.
  const settings = { maxConcurrentStreams: 100 };
  const secure =
    protocol === "h2" ? createSecureServer({ ...identity, settings }) : createServer(identity);
  // Go's server does not announce how long it keeps a connection.
  const server = Object.assign(secure, { keepAliveTimeout: 0 });
  await listen(server);
  const relay = await relayTo(portOf(server));
  const counts = new Map<string, number>();
  server.on("request", ({ url = "", stream }: Asked, response: ServerResponse) => {
    const count = (counts.get(url) ?? 0) + 1;
    counts.set(url, count);
    stream?.on("error", () => undefined);
    fates[url]?.({ stream, response, count, cut: relay.cut });
  });
  const close = (): void => {
    relay.close();
    relay.cut();
    server.close();
  };
  return { ...relay, close };
}

type Asked = IncomingMessage & { readonly stream?: ServerHttp2Stream };
