import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import tls from "node:tls";
import { generate } from "selfsigned";

/** How a loopback server speaks: HTTP/2 or 1.1 by ALPN, or 1.1 only. */
export type Speech = "h2" | "https" | "http";

/** A server on the loopback interface that counts what reaches it. */
export interface Loopback {
  readonly url: URL;
  readonly certificateAuthority: string | undefined;
  /** Every connection that was opened, ready to be broken. */
  readonly sockets: readonly Socket[];
  close(): void;
}

const identity = generate([{ name: "commonName", value: "loopback" }], {
  keyType: "ec",
  algorithm: "sha256",
  extensions: [
    { name: "basicConstraints", cA: true },
    { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
  ],
});

/** What a TLS server needs: its key and its certificate. */
const tlsIdentity = async () => {
  const { private: key, cert } = await identity;
  return { key, cert };
};

/** Starts a server that answers requests. */
export async function serve(speech: Speech, answer: http.RequestListener): Promise<Loopback> {
  const { key, cert } = await tlsIdentity();
  if (speech === "http") return listening(http.createServer(answer), "http");
  if (speech === "https") return listening(https.createServer({ key, cert }, answer), "https");
  const server = http2.createSecureServer({ key, cert, allowHTTP1: true });
  // The compatibility layer passes objects with the same methods.
  server.on("request", answer as unknown as (request: http2.Http2ServerRequest) => void);
  return listening(server, "https");
}

type OnStream = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void;

/** Starts an HTTP/2 server that is told of each stream. */
export async function serveStreams(
  onStream: OnStream,
  settings: http2.Settings = {},
): Promise<Loopback> {
  const server = http2.createSecureServer({ ...(await tlsIdentity()), settings });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    onStream(stream, headers);
  });
  server.on("sessionError", () => undefined);
  return listening(server, "https");
}

/** Starts a server that receives plain bytes. */
export const serveBytes = (onConnection: (socket: Socket) => void): Promise<Loopback> =>
  listening(net.createServer(onConnection), "https");

/** Starts a server that agrees to HTTP/2 and then says nothing. */
export async function serveSilence(): Promise<Loopback> {
  const options = { ...(await tlsIdentity()), ALPNProtocols: ["h2"] };
  return listening(tls.createServer(options), "https");
}

async function listening(server: Server, protocol: string): Promise<Loopback> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${protocol}://127.0.0.1:${port}`),
    certificateAuthority: protocol === "https" ? (await tlsIdentity()).cert : undefined,
    sockets,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
