import { Readable } from "node:stream";
import { type HttpRequest, HttpResponse } from "@smithy/core/transport";
import type { HttpHandlerOptions } from "@smithy/types";
import type { Aws } from "../../sandbox/aws/aws.ts";
import { AwsDoor } from "../../sandbox/aws/aws-door.ts";

/** The way from the SDK's clients to the sandbox's AWS without a socket, so that time may stand still. */
export function handlerTo(aws: Aws) {
  const door = new AwsDoor(aws, { dates: "ignored" });
  return {
    async handle(request: HttpRequest, _options?: HttpHandlerOptions) {
      const query = new URLSearchParams(
        Object.entries(request.query).map(([key, value]): [string, string] => [key, `${value}`]),
      );
      const { method, path, headers, body = "" } = request;
      const wire = { method, path, query: query.toString(), headers, body: String(body) };
      const gone = new AbortController().signal;
      const answer = await door.answer(wire, { host: request.hostname, gone });
      if (answer.kind === "answer")
        return {
          response: new HttpResponse({
            statusCode: answer.answer.status,
            headers: { ...answer.answer.headers },
            body: Readable.from([answer.answer.body]),
          }),
        };
      throw Object.assign(new Error("socket hang up"), {
        name: "TimeoutError",
        code: "ECONNRESET",
      });
    },
    metadata: { handlerProtocol: "http/1.1" },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}
