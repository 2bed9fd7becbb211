import { ApiException, HttpMethod, RequestContext } from "@kubernetes/client-node";
import { type TransportResponse, wholeBody } from "../../http/transport.ts";
import { jsonLines } from "./json-lines.ts";

/** The query of a watch, such as `fieldSelector`, `resourceVersion` and `timeoutSeconds`. */
export type WatchQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** The request that begins a watch of a collection, such as `/api/v1/pods`. */
export function watchRequest(collection: string, query: WatchQuery): RequestContext {
  const request = new RequestContext(collection, HttpMethod.GET);
  for (const [name, value] of Object.entries({ ...query, watch: true })) {
    if (value !== undefined) request.setQueryParam(name, String(value));
  }
  return request;
}

/** The events of a watch until the server ends it; throws a refusal as client-node would. */
export async function* watchEvents(answer: TransportResponse): AsyncGenerator<unknown> {
  const { status, headers, body } = answer;
  if (status === 200) return yield* jsonLines(body);
  const text = (await wholeBody(body)).toString();
  throw new ApiException(status, "the watch was refused", text, headers);
}
