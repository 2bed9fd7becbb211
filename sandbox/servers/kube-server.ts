import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import { loopbackCertificate, type ServerCertificate } from "./certificates.ts";
import { respond } from "./kube-exchange.ts";

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
  { port = 0, protocol = "https" }: KubeServerOptions = {},
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
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const dropConnections = (): void => {
    for (const socket of sockets.all) socket.destroy();
  };
  return {
    url: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
