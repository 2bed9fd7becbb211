import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import { compressed } from "../kubernetes/api/compressed.ts";
import type { KubeRequest, KubeResponse } from "../kubernetes/api/exchange.ts";
import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";

/** The HTTP/2 stream of an answer; undefined over HTTP/1.1. A connection has many streams. */
const streamOf = (response: ServerResponse): ServerHttp2Stream | undefined =>
  response instanceof Http2ServerResponse ? response.stream : undefined;

async function read(request: IncomingMessage): Promise<KubeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(headers) as KubeRequest["headers"],
    body: Buffer.concat(chunks).toString(),
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

type Stream = Extract<KubeResponse, { readonly kind: "stream" }>;

function pour(stream: Stream, response: ServerResponse): void {
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
export async function respond(
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
