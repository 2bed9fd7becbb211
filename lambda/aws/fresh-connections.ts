import type { HttpHandler } from "@smithy/core/protocols";
import { trustedFor } from "../http/transport.ts";

/** The part of a client of AWS that an extension changes. */
export interface Extended {
  httpHandler(): HttpHandler;
  setHttpHandler(handler: HttpHandler): void;
}

/**
 * Closes the connections of a client that nobody has used for long, before its next request. While Lambda freezes a function,
 * a connection can die without a word, and a request on it would wait until its time limit.
 */
export const freshConnections = {
  configure(client: Extended): void {
    client.setHttpHandler(fresh(client.httpHandler()));
  },
};

function fresh(handler: HttpHandler): HttpHandler {
  let [heard, underWay] = [Date.now(), 0];
  return {
    ...(handler.metadata !== undefined && { metadata: handler.metadata }),
    async handle(request, options) {
      if (underWay === 0 && Date.now() - heard > trustedFor) handler.destroy?.();
      underWay += 1;
      try {
        return await handler.handle(request, options);
      } finally {
        underWay -= 1;
        heard = Date.now();
      }
    },
    updateHttpClientConfig: (...given) => handler.updateHttpClientConfig(...given),
    httpHandlerConfigs: () => handler.httpHandlerConfigs(),
    destroy: () => handler.destroy?.(),
  };
}
