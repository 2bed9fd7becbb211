import {
  type Configuration,
  createConfiguration,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import type { CallBounds, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";

/** The configuration with which the API classes of client-node send their requests over a connection. */
export function configurationOf(connection: KubeConnection, bounds?: CallBounds): Configuration {
  const send = async (context: RequestContext): Promise<ResponseContext> => {
    const { pathname, search } = new URL(context.getUrl());
    const given = Object.entries(context.getHeaders());
    const request = {
      method: context.getHttpMethod(),
      path: pathname + search,
      headers: Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
      body: context.getBody()?.toString(),
    };
    const { status, headers, bytes } = await connection.send(request, bounds);
    return new ResponseContext(status, headers, new SelfDecodingBody(Promise.resolve(bytes)));
  };
  const baseServer = new ServerConfiguration("https://api-server", {});
  return createConfiguration({ baseServer, httpApi: wrapHttpLibrary({ send }) });
}
