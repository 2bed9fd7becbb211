// biome-ignore lint/correctness/noUndeclaredDependencies: the copy that client-node comes with is what is measured
import { Agent } from "undici";
import type { Open } from "./trial.ts";

const agentFor = (ca: string, allowH2: boolean) =>
  new Agent({ connect: { ca }, allowH2, connections: allowH2 ? 1 : 50 });

/** Sends all requests through one agent, or each through a new one, as client-node's `KubeConfig` does. */
const through =
  (allowH2: boolean, agents: "one agent" | "an agent each"): Open =>
  (origin, ca) => {
    const shared = agentFor(ca, allowH2);
    return async ({ limit, ...request }) => {
      const agent = agents === "one agent" ? shared : agentFor(ca, allowH2);
      const times = { headersTimeout: limit, bodyTimeout: 0 };
      const { body } = await agent.request({ origin, ...request, ...times });
      return body;
    };
  };

/** HTTP/2 over one agent. */
export const http2 = through(true, "one agent");
/** HTTP/1.1 over one agent. */
export const http1 = through(false, "one agent");
/** What client-node does by itself. */
export const eachAlone = through(true, "an agent each");
