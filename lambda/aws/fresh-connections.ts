import { trustedFor } from "../http/transport.ts";
import { clientExtension } from "./client-extension.ts";

/**
 * Closes the connections of a client that nobody has used for long, before its next request. While Lambda freezes a function,
 * a connection can die without a word, and a request on it would wait until its time limit.
 */
export const freshConnections = clientExtension((own) => {
  let [heard, underWay] = [Date.now(), 0];
  return async (request, options) => {
    if (underWay === 0 && Date.now() - heard > trustedFor) own.destroy?.();
    underWay += 1;
    try {
      return await own.handle(request, options);
    } finally {
      underWay -= 1;
      heard = Date.now();
    }
  };
});
