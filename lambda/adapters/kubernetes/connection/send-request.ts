import { ApiException, type HttpMethod } from "@kubernetes/client-node";
import type { Duration } from "../../../domain/time.ts";
import type { KubeConnection } from "./kube-connection.ts";

/** A request to the API server, written out. */
export interface KubeRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: object;
  /** The media type of the body. @default JSON */
  readonly type?: string;
  /** The statuses that are answers, although they are no success. */
  readonly meant?: readonly number[];
}

/** What the API server answered. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request that no API class of client-node has; throws a refusal as client-node would. */
export async function sendRequest(
  connection: KubeConnection,
  { method, path, body, type = "application/json", meant = [] }: KubeRequest,
  limit: Duration,
): Promise<KubeAnswer> {
  const { baseServer, httpApi } = connection.configuration({ limit });
  const context = baseServer.makeRequestContext(path, method);
  if (body !== undefined) {
    context.setHeaderParam("Content-Type", type);
    context.setBody(JSON.stringify(body));
  }
  const answer = await httpApi.send(context).toPromise();
  const { httpStatusCode: status, headers } = answer;
  const text = (await answer.body.binary()).toString();
  if (status < 300 || meant.includes(status)) return { status, body: text };
  throw new ApiException(status, "refused", text, headers);
}
