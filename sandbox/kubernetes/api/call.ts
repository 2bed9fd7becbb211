import type { Ref, Resource } from "../resource.ts";
import { encode, type KubeRequest, type KubeResponse } from "./exchange.ts";
import type { Representation } from "./representation.ts";
import type { RequestInfo } from "./request-info.ts";

/** An authorized request to a resource that the server knows. */
export interface ResourceCall {
  readonly request: KubeRequest;
  readonly info: RequestInfo;
  readonly resource: Resource;
  readonly shown: Representation;
}

/** The object that a request is about. */
export const refOf = ({ info, resource }: Call): Ref => ({
  resource,
  namespace: resource.namespaced ? info.namespace : undefined,
  name: info.name,
});

/** An answer in JSON. */
export const answer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse & { readonly kind: "answer" } => ({
  kind: "answer",
  status,
  headers: { "content-type": "application/json", ...headers },
  body: encode(body),
});
