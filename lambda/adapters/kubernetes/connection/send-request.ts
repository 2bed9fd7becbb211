import { ApiException, HttpMethod } from "@kubernetes/client-node";
import type { CallBounds, KubeConnection } from "./kube-connection.ts";
import type { WatchQuery } from "./kube-watch.ts";

/** The form in which an answer is asked for. */
export interface AnswerForm {
  /** The media type. @default JSON */
  readonly accept?: string;
  /** Unpacks gzip, in which the API server may send a long answer. @default it sends none */
  readonly unpack?: (packed: Uint8Array) => Buffer;
}

/** The form of a list whose objects have neither spec nor status, which are most of a node, and of a pod with many containers. */
export const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** A request to the API server, written out. */
export interface KubeRequest extends AnswerForm {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: object;
  /** The media type of the body. @default JSON */
  readonly type?: string;
  /** The statuses that are answers, although they are no success. */
  readonly meant?: readonly number[];
}

const json = "application/json";

/** What the API server answered. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a request, and throws a refusal as client-node would. Its API classes and their models are not used, because they make
 * a cold start slower, and read each object in full.
 */
export async function sendRequest(
  connection: KubeConnection,
  { method, path, body, type = json, accept, unpack, meant = [] }: KubeRequest,
  bounds: CallBounds = {},
): Promise<KubeAnswer> {
  const { baseServer, httpApi } = connection.configuration(bounds);
  const context = baseServer.makeRequestContext(path, method);
  if (accept !== undefined) context.setHeaderParam("Accept", accept);
  if (unpack !== undefined) context.setHeaderParam("Accept-Encoding", "gzip");
  if (body !== undefined) {
    context.setHeaderParam("Content-Type", type);
    context.setBody(JSON.stringify(body));
  }
  const answer = await httpApi.send(context).toPromise();
  const { httpStatusCode: status, headers } = answer;
  const sent = await answer.body.binary();
  const bytes = headers["content-encoding"] === "gzip" ? (unpack?.(sent) ?? sent) : sent;
  const text = bytes.toString();
  if (status < 300 || meant.includes(status)) return { status, body: text };
  throw new ApiException(status, "refused", text, headers);
}

/** Reads an object, or a page of a collection, as the API server sends it. */
export async function readJson<T>(
  connection: KubeConnection,
  path: string,
  { query = {}, ...form }: AnswerForm & { readonly query?: WatchQuery } = {},
): Promise<T> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value));
  const asked = search.size === 0 ? path : `${path}?${search}`;
  const { body } = await sendRequest(connection, { method: HttpMethod.GET, path: asked, ...form });
  return Object(JSON.parse(body));
}
