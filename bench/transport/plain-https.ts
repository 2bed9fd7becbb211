import { Agent, request } from "node:https";
import type { Open } from "./trial.ts";

/** Node's own HTTP/1.1 over kept-alive connections. */
export const open: Open = (url, ca) => {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 50 });
  return ({ method, path, headers, body, limit }) => {
    const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<unknown>>();
    const sent = request(new URL(path, url), { method, headers, agent }, (response) => {
      sent.setTimeout(0);
      resolve(response);
    });
    sent.setTimeout(limit, () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
    return promise;
  };
};
