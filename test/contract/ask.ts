import type { HttpMethod } from "@kubernetes/client-node";
import type { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { configurationOf } from "../support/configuration-of.ts";

/** A request to the API server, written out. */
export interface Question {
  readonly method?: `${HttpMethod}`;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

/** An answer of the API server, as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request over the same connection that no API class would send. */
export async function ask(connection: KubeConnection, question: Question): Promise<Reply> {
  const { method = "GET", path, body, type = "application/json" } = question;
  const { baseServer, httpApi } = configurationOf(connection);
  const request = baseServer.makeRequestContext(path, method as HttpMethod);
  if (body !== undefined) {
    request.setHeaderParam("Content-Type", type);
    request.setBody(JSON.stringify(body));
  }
  const answer = await httpApi.send(request).toPromise();
  return {
    status: answer.httpStatusCode,
    headers: answer.headers,
    body: (await answer.body.binary()).toString(),
  };
}
