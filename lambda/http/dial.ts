import { once } from "node:events";
import http from "node:http";
import http2, { type ClientHttp2Session } from "node:http2";
import https from "node:https";
import { isIP } from "node:net";
import tls from "node:tls";
import { urlToHttpOptions } from "node:url";
import { Http1Transport } from "./http1-transport.ts";
import { Http2Transport } from "./http2-transport.ts";
import { ConnectionError, lostConnection } from "./lost-connection.ts";
import type { Transport } from "./transport.ts";

/** The address of a server, and the authority whose certificates it is trusted with. */
export interface ServerAddress {
  readonly endpoint: URL;
  /** PEM, or PEM in base64 as DescribeCluster gives it. @default the public authorities */
  readonly certificateAuthority?: string | undefined;
}

/** The time limit of a server for its certificate and its settings. */
const handshakeTimeout = 10_000;
/** HTTP/1.1 needs a connection for each request under way. */
const agentOptions = { keepAlive: true, maxSockets: 50 };
/** The receive window: a list of 400 pods fits into one round trip. HTTP/2's default is 64 KiB. */
const window = 2 ** 22;
const settings = { enablePush: false, initialWindowSize: window };

/** Connects to a server: over HTTP/2 if the server agrees, else over HTTP/1.1. */
export async function dial(address: ServerAddress): Promise<Transport> {
  const { endpoint } = address;
  if (endpoint.protocol === "http:")
    return new Http1Transport(endpoint, new http.Agent(agentOptions));

  const options = tlsOptions(address);
  const socket = tls.connect({ ...options, ALPNProtocols: ["h2", "http/1.1"] });
  const timer = setTimeout(() => socket.destroy(unanswered()), handshakeTimeout);
  try {
    await once(socket, "secureConnect");
    if (socket.alpnProtocol === "h2") return new Http2Transport(await greeted(endpoint, socket));
    return new Http1Transport(endpoint, agentFrom(socket, options));
  } catch (error) {
    throw lostConnection(error, "unsent");
  } finally {
    clearTimeout(timer);
  }
}

function tlsOptions({ endpoint, certificateAuthority }: ServerAddress): tls.ConnectionOptions {
  const { hostname } = urlToHttpOptions(endpoint);
  const host = hostname ?? "";
  return {
    host,
    port: Number(endpoint.port || 443),
    ...(isIP(host) ? {} : { servername: host }),
    ...(certificateAuthority === undefined ? {} : { ca: pem(certificateAuthority) }),
  };
}

const pem = (text: string): string =>
  text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString();

/** Waits for the server's settings, which limit the number of concurrent requests. */
async function greeted(endpoint: URL, socket: tls.TLSSocket): Promise<ClientHttp2Session> {
  const session = http2.connect(endpoint, { createConnection: () => socket, settings });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  session.once("remoteSettings", () => resolve());
  session.once("error", reject);
  session.once("close", () => reject(socket.errored));
  await promise;
  session.setLocalWindowSize(window);
  return session;
}

/** Makes an agent that uses the open connection first. */
function agentFrom(socket: tls.TLSSocket, options: tls.ConnectionOptions): https.Agent {
  const agent = new https.Agent({ ...options, ...agentOptions });
  const connect = agent.createConnection.bind(agent);
  const open = [socket];
  socket.on("error", () => open.pop());
  agent.createConnection = (...request) => open.pop() ?? connect(...request);
  return agent;
}

const unanswered = (): ConnectionError =>
  new ConnectionError("the server did not answer in time", { reason: "timeout", unsent: true });
