import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { compressed } from "../kubernetes/api/compressed.ts";
import type { KubeRequest, KubeResponse } from "../kubernetes/api/exchange.ts";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import { loopbackCertificate, type ServerCertificate } from "./certificates.ts";
import { listening } from "./listening.ts";

/** The HTTP/2 stream of an answer; undefined over HTTP/1.1. A connection has many streams. */
const streamOf = (response: ServerResponse): ServerHttp2Stream | undefined =>
  response instanceof Http2ServerResponse ? response.stream : undefined;

async function read(request: IncomingMessage): Promise<KubeRequest> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(headers) as KubeRequest["headers"],
    body: await text(request),
  };
}

/** Breaks the connection. Over HTTP/2 it breaks only the stream of this answer. */
function breakOff(response: ServerResponse): void {
  const stream = streamOf(response);
  if (stream === undefined) response.socket?.destroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** HTTP/2 has no `connection` header: the function sends GOAWAY instead, as Go's server does. */
function fitting(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const stream = streamOf(response);
  if (stream === undefined || !("connection" in headers)) return headers;
  stream.session?.goaway();
  const { connection: _, ...rest } = headers;
  return rest;
}

type WatchStream = Extract<KubeResponse, { readonly kind: "stream" }>;

function pour(stream: WatchStream, response: ServerResponse): void {
  response.writeHead(stream.status, stream.headers);
  response.flushHeaders();
  const cancel = stream.open({
    write: (chunk) => {
      response.write(chunk);
    },
    end: () => response.end(),
  });
  response.on("close", cancel);
}

/** Passes a request over HTTP/1.1 or HTTP/2 to the cluster, and sends the cluster's answer back. */
async function respond(
  cluster: Pick<SandboxCluster, "handle">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = await read(request);
  const answer = await cluster.handle(asked);
  if (answer.kind === "hang") return;
  if (answer.kind === "reset") breakOff(response);
  else if (answer.kind === "stream") pour(answer, response);
  else {
    const { headers, body } = compressed(asked, answer);
    const length = { "content-length": String(body.length) };
    response.writeHead(answer.status, fitting(response, { ...headers, ...length }));
    response.end(body);
  }
}

/** Where and how a cluster is served. */
export interface KubeServerOptions {
  /** @default a free port */
  readonly port?: number;
  /** @default "https" */
  readonly protocol?: "https" | "http";
}

/** A cluster on loopback; over TLS it speaks HTTP/2 and HTTP/1.1. */
export interface KubeServer {
  readonly url: string;
  /** The authority, as DescribeCluster returns it: PEM in base64, and empty over plain HTTP. */
  readonly certificateAuthority: string;
  /** Shows every later connection a certificate of a new authority. */
  rotateCertificate(): Promise<void>;
  /** Breaks every connection. */
  dropConnections(): void;
  /** Asks every HTTP/2 connection to take no more requests (GOAWAY). */
  sendGoAway(): void;
  close(): Promise<void>;
}

/** The real API server allows the same number of streams on a connection. */
const maxConcurrentStreams = 100;

const secureServer = ({ key, certificate }: ServerCertificate): Http2SecureServer =>
  createSecureServer({
    allowHTTP1: true,
    key,
    cert: certificate,
    settings: { maxConcurrentStreams },
  });

/** Keeps every added item in a set until the item closes. */
function tracked<T extends { once(event: "close", forget: () => void): unknown }>() {
  const all = new Set<T>();
  const add = (item: T): void => {
    all.add(item);
    item.once("close", () => all.delete(item));
  };
  return { all, add };
}

/** Serves a cluster on 127.0.0.1 until you close the server. */
export async function startKubeServer(
  cluster: Pick<SandboxCluster, "handle">,
  { port, protocol = "https" }: KubeServerOptions = {},
): Promise<KubeServer> {
  let identity = await loopbackCertificate("kube-apiserver");
  const server: Server | Http2SecureServer =
    protocol === "http" ? createServer() : secureServer(identity);
  const sockets = tracked<Socket>();
  const sessions = tracked<ServerHttp2Session>();
  server.on("connection", sockets.add);
  server.on("session", sessions.add);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    respond(cluster, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const host = await listening(server, port);
  const dropConnections = (): void => {
    for (const socket of sockets.all) socket.destroy();
  };
  return {
    url: `${protocol}://${host}`,
    get certificateAuthority() {
      return protocol === "http" ? "" : Buffer.from(identity.authority).toString("base64");
    },
    async rotateCertificate() {
      identity = await loopbackCertificate("kube-apiserver");
      const { key, certificate: cert } = identity;
      if ("setSecureContext" in server) server.setSecureContext({ key, cert });
    },
    dropConnections,
    sendGoAway() {
      for (const session of sessions.all) session.goaway();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      dropConnections();
      await closed;
    },
  };
}
