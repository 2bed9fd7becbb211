import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { KubeRequest, KubeResponse } from "../cluster/api/exchange.ts";
import type { SandboxCluster } from "../cluster/sandbox-cluster.ts";

/** The stream of an answer over HTTP/2, which has many of them on one connection. */
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

/** Breaks the connection; over HTTP/2 only the one stream. */
function breakOff(response: ServerResponse): void {
  const stream = streamOf(response);
  if (stream === undefined) response.socket?.destroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** HTTP/2 knows no `connection` header: it says GOAWAY instead, as Go's server does. */
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

/** Takes a request of either version of HTTP to the cluster, and its answer back. */
export async function respond(
  cluster: Pick<SandboxCluster, "handle">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await cluster.handle(await read(request));
  if (answer.kind === "hang") return;
  if (answer.kind === "reset") breakOff(response);
  else if (answer.kind === "stream") pour(answer, response);
  else {
    const length = { "content-length": String(Buffer.byteLength(answer.body)) };
    response.writeHead(answer.status, fitting(response, { ...answer.headers, ...length }));
    response.end(answer.body);
  }
}
