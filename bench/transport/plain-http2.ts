import { on } from "node:events";
import { connect } from "node:http2";
import type { Open } from "./trial.ts";

/** One session of Node's own HTTP/2; after it closes, a new one is opened. */
export const open: Open = (url, ca) => {
  const connected = () => connect(url, { ca }).on("error", () => undefined);
  let session = connected();
  return ({ method, path, headers, body, limit }) => {
    if (session.closed) session = connected();
    const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<unknown>>();
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    stream.setTimeout(limit, () => stream.destroy(new Error("no answer in time")));
    stream.once("response", () => {
      stream.setTimeout(0);
      resolve(on(stream, "data", { close: ["close"] }));
    });
    stream.on("error", reject);
    stream.once("close", () => reject(new Error("closed without an answer")));
    stream.end(body);
    return promise;
  };
};
