import { constants, gzipSync } from "node:zlib";
import type { KubeRequest, KubeResponse } from "./exchange.ts";

const threshold = 128 * 1024;

type WholeAnswer = Extract<KubeResponse, { readonly kind: "answer" }>;

/** An answer as it goes over the wire. */
export interface CompressedAnswer {
  readonly headers: WholeAnswer["headers"];
  readonly body: Buffer;
}

/**
 * Compresses a long answer for a caller that accepts it.
 *
 * @see https://github.com/kubernetes/apiserver/blob/v0.36.2/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function compressed(
  request: Pick<KubeRequest, "headers">,
  answer: WholeAnswer,
): CompressedAnswer {
  const body = Buffer.from(answer.body);
  const accepts = request.headers["accept-encoding"]?.split(",").map((coding) => coding.trim());
  if (accepts?.includes("gzip") !== true || body.length <= threshold)
    return { headers: answer.headers, body };
  const headers = { ...answer.headers, "content-encoding": "gzip", vary: "Accept-Encoding" };
  return { headers, body: gzipSync(body, { level: constants.Z_BEST_SPEED }) };
}
