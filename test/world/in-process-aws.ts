import { Readable } from "node:stream";
import { type HttpRequest, HttpResponse } from "@smithy/core/transport";
import type { HttpHandlerOptions } from "@smithy/types";
import { awsClientOptions } from "../../lambda/aws/aws-client-options.ts";
import type { Life } from "./life.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Connects the SDK's clients to the sandbox's AWS without a socket, so that time can stand still.
 */
export function handlerTo(surroundings: Surroundings, life: Life) {
  return {
    handle: (request: HttpRequest, _options?: HttpHandlerOptions) =>
      life.bound(life.over ? never() : handled(request, { surroundings, life })),
    metadata: { handlerProtocol: "http/1.1" },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

const { requestTimeout } = awsClientOptions("").requestHandler;
const never = () => new Promise<{ response: HttpResponse }>(() => undefined);

interface Way {
  readonly surroundings: Surroundings;
  readonly life: Life;
}

async function handled(request: HttpRequest, { surroundings, life }: Way) {
  const asked = wired(request);
  const target = targetOf(request, asked.body);
  const what = `${target.service} ${target.action}`;
  const fault = surroundings.meet({ to: "aws", what, body: asked.body });
  if (fault.kind === "death" && fault.moment === "before") life.end();
  if (life.over) return never();
  if (fault.kind === "aws-fault")
    surroundings.aws.faults.failNext(target, fault.fault, { moment: `${fault.moment}-effect` });
  const gone = new AbortController().signal;
  const answer = await surroundings.endpoint.answer(asked, { host: request.hostname, gone });
  if (fault.kind === "death") life.end();
  if (answer.kind === "hang") return timeout();
  if (answer.kind === "reset") throw lost("socket hang up", "ECONNRESET");
  const { status: statusCode, headers, body } = answer.answer;
  return {
    response: new HttpResponse({
      statusCode,
      headers: { ...headers },
      body: Readable.from([body]),
    }),
  };
}

function wired({ method, path, headers, query, body }: HttpRequest) {
  const fields = Object.entries(query).map(([key, value]): [string, string] => [key, `${value}`]);
  return {
    method,
    path,
    query: new URLSearchParams(fields).toString(),
    headers,
    body: textOf(body),
  };
}

/** Reads the service and the action of a request in any of the protocols. */
function targetOf({ hostname, headers, method, path }: HttpRequest, body: string) {
  const [service = ""] = hostname.split(".");
  const [, targeted] = String(headers["x-amz-target"]).split(".");
  const asked = /(?:^|&)Action=(\w+)/.exec(body)?.[1];
  return { service, action: targeted ?? asked ?? byPath(service, `${method} ${path}`) };
}

function byPath(service: string, line: string): string {
  if (service === "arc-zonal-shift") return "ListZonalShifts";
  if (!line.includes("/access-entries")) return "DescribeCluster";
  return line.startsWith("POST") ? "CreateAccessEntry" : "DescribeAccessEntry";
}

const textOf = (body: Uint8Array | string | undefined): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body);

const lost = (message: string, code: string): Error =>
  Object.assign(new Error(message), { name: "TimeoutError", code });

/** The error that the SDK's own handler throws for a request without an answer. */
const timeout = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(lost("request timed out", "ETIMEDOUT")), requestTimeout);
  });
