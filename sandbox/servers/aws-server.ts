import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Aws } from "../aws/aws.ts";
import { AwsEndpoint, type EndpointAnswer, type GateSettings } from "../aws/aws-endpoint.ts";
import type { WireRequest } from "../aws/wire.ts";
import { closed, listening } from "./listening.ts";

/** A server on loopback that answers the AWS calls to an account. */
export interface AwsServer {
  /** The value for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** The URL of a queue on this server, by its name. */
  queueUrl(name: string): string;
  /** Ends every connection, and with it every call that still waits. */
  close(): Promise<void>;
}

/** The options of an account's server. */
export interface AwsServerOptions extends Partial<GateSettings> {
  readonly port?: number;
}

async function wireRequest(request: IncomingMessage): Promise<WireRequest> {
  const [path = "/", query = ""] = (request.url ?? "/").split("?");
  const { method = "GET", headers } = request;
  return { method, path, query, headers, body: await text(request) };
}

function send(response: ServerResponse, answer: EndpointAnswer): void {
  if (answer.kind === "hang") return;
  if (answer.kind === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = answer.answer;
  response.writeHead(status, headers);
  response.end(body);
}

async function serve(endpoint: AwsEndpoint, exchange: [IncomingMessage, ServerResponse]) {
  const [request, response] = exchange;
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const wire = await wireRequest(request);
  const host = wire.headers.host ?? "";
  send(response, await endpoint.answer(wire, { host, gone: gone.signal }));
}

/** Serves an account on loopback. You point the SDK at its URL. */
export async function startAwsServer(aws: Aws, options: AwsServerOptions = {}): Promise<AwsServer> {
  const { port, signatures = "judged" } = options;
  const endpoint = new AwsEndpoint(aws, { signatures });
  const server = createServer((request, response) => {
    // The server does not answer a caller that disconnects in the middle of its request.
    serve(endpoint, [request, response]).catch(() => response.destroy());
  });
  const host = await listening(server, port);
  return {
    url: `http://${host}`,
    queueUrl: (name) => aws.sqs.urlOf(name, host),
    close: () => closed(server),
  };
}
