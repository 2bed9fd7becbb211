import { pods, services } from "../core-resources.ts";
import { terminating } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { podReady } from "../pod.ts";
import { methodNotAllowed } from "../refusals.ts";
import { ApiError } from "../status.ts";
import type { ResourceCall } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** Whether a request wants to be sent on to a pod behind a Service. */
export const isProxied = ({ resource, subresource }: RequestInfo): boolean =>
  resource?.plural === services.plural && subresource === "proxy";

/** Sends a request on to a ready pod behind a Service, which answers with its name, as its `/hostname` does. */
export function proxied(store: ObjectStore, { info, request }: ResourceCall): KubeResponse {
  if (request.method !== "GET") throw methodNotAllowed();
  const { namespace, name } = info;
  const { selector = {} } = store.get({ resource: services, namespace, name }).spec;
  const [pod] = store
    .list(pods, namespace)
    .filter((one) => podReady(one) && !terminating(one))
    .filter(({ metadata: { labels = {} } }) =>
      Object.entries(selector).every(([key, value]) => labels[key] === value),
    );
  if (pod !== undefined)
    return {
      kind: "answer",
      status: 200,
      headers: { "content-type": "text/plain" },
      body: pod.metadata.name,
    };
  throw new ApiError({
    code: 503,
    message: `no endpoints available for service "${name}"`,
    reason: "ServiceUnavailable",
  });
}
