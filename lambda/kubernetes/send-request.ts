import type { CallBounds, KubeConnection } from "./kube-connection.ts";
import { pathWith, type WatchQuery } from "./kube-watch.ts";
import { RefusedRequest, refusalCode } from "./refused-request.ts";

export interface AnswerForm {
  /** The media type. @default JSON */
  readonly accept?: string;
  /** Unpacks gzip, in which the API server may send a long answer. @default it sends none */
  readonly unpack?: (packed: Uint8Array) => Buffer;
}

/** The form of a list whose objects have neither spec nor status, which are most of a node, and of a pod with many containers. */
export const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** The form of one object without spec and status. */
export const metadataOfOne = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** A request to the API server, written out. */
export interface KubeRequest extends AnswerForm {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
  /** The media type of the body. @default JSON */
  readonly type?: string;
  /** The statuses that are answers, although they are no success. */
  readonly meant?: readonly number[];
}

const json = "application/json";

/** The answer of the API server. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request, and throws a refusal. client-node gives types alone: its classes make a cold start slower, and read each object in full. */
export async function sendRequest(
  connection: KubeConnection,
  { method, path, body, type = json, accept, unpack, meant = [] }: KubeRequest,
  bounds: CallBounds = {},
): Promise<KubeAnswer> {
  const given = {
    ...(accept === undefined ? {} : { accept }),
    ...(unpack === undefined ? {} : { "accept-encoding": "gzip" }),
    ...(body === undefined ? {} : { "content-type": type }),
  };
  const json = body === undefined ? undefined : JSON.stringify(body);
  const answer = await connection.send({ method, path, headers: given, body: json }, bounds);
  const { status, headers, bytes } = answer;
  const read = headers["content-encoding"] === "gzip" ? (unpack?.(bytes) ?? bytes) : bytes;
  const text = read.toString();
  if (status < 300 || meant.includes(status)) return { status, body: text };
  throw new RefusedRequest(refusalCode(status, text), text, headers);
}

interface ReadBounds extends Pick<CallBounds, "limit" | "most"> {
  readonly query?: WatchQuery;
}

/** Reads an object, or a page of a collection, as the API server sends it. */
export async function readJson<T>(
  connection: KubeConnection,
  path: string,
  { query = {}, limit, most, ...form }: AnswerForm & ReadBounds = {},
): Promise<T> {
  const asked = { method: "GET", path: pathWith(path, query), ...form } as const;
  const bounds = { ...(limit && { limit }), ...(most && { most }) };
  const { body } = await sendRequest(connection, asked, bounds);
  return Object(JSON.parse(body));
}
