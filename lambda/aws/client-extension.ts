import type { HttpHandler } from "@smithy/core/protocols";

/** The part of a client of AWS that an extension changes. */
interface Extended {
  httpHandler(): HttpHandler;
  setHttpHandler(handler: HttpHandler): void;
}

/** An extension of a client of AWS whose requests go by another way, which ends in the client's own handler. */
export const clientExtension = (way: (own: HttpHandler) => HttpHandler["handle"]) => ({
  configure(client: Extended): void {
    const own = client.httpHandler();
    client.setHttpHandler({
      ...(own.metadata !== undefined && { metadata: own.metadata }),
      handle: way(own),
      updateHttpClientConfig: (...given) => own.updateHttpClientConfig(...given),
      httpHandlerConfigs: () => own.httpHandlerConfigs(),
      destroy: () => own.destroy?.(),
    });
  },
});
