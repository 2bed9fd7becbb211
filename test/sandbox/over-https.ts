import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request over HTTP/1.1 to a server whose certificate an authority has signed. */
export function overHttps(
  url: string,
  options: {
    readonly ca: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Answer> {
  const { ca, method = "GET", headers = {}, body = "" } = options;
  return new Promise((resolve, reject) => {
    const sent = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    const call = request(url, { ca, method, headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status = 0, headers: told } = response;
        resolve({ status, headers: told, body: Buffer.concat(chunks) });
      });
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}
