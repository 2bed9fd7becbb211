import { PersistentTransport } from "../../lambda/adapters/http/persistent-transport.ts";
import { TimeLimit } from "../../lambda/adapters/http/time-limit.ts";
import { milliseconds } from "../../lambda/domain/time.ts";
import type { Open } from "./trial.ts";

/** The transport of this project. */
export const open: Open = (url, certificateAuthority) => {
  const wire = new PersistentTransport({ endpoint: new URL(url), certificateAuthority });
  return async ({ path, headers, limit, ...rest }) => {
    const time = new TimeLimit(milliseconds(limit));
    const answer = await wire.request({ ...rest, path, headers, signal: time.signal });
    time.lift();
    return answer.body;
  };
};
