import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { parse } from "yaml";

/** A pod as a bare script knows it. */
export interface BarePod {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The requests of a bare script, over at most 20 kept-alive connections. */
export interface BareClient {
  /** Sends a request, and returns its answer once it has begun. */
  begin(method: string, path: string, body?: unknown): Promise<IncomingMessage>;
  call(method: string, path: string, body?: unknown): Promise<{ code: number; text: string }>;
  /** Evicts a pod, and retries a refused eviction after half a second. */
  evict(pod: BarePod): Promise<void>;
  close(): void;
}

/** Makes a client from a kubeconfig with a client certificate or a token. */
export function bareClient(kubeconfig: string): BareClient {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8"));
  const { server, "certificate-authority": ca } = clusters[0].cluster;
  const { "client-certificate": cert, "client-key": key, token } = users[0].user;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 21, // one more for a watch
    ca: readFileSync(ca),
    ...(token === undefined ? { cert: readFileSync(cert), key: readFileSync(key) } : {}),
  });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client: BareClient = {
    async begin(method, path, body) {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { "content-type": type, "user-agent": "bare-script", ...authorization };
      const sent = request(new URL(path, server), { method, agent, headers });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = await once(sent, "response");
      return answer;
    },
    async call(...given) {
      const answer = await client.begin(...given);
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      return { code: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
    },
    async evict({ metadata: { namespace, name } }) {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
      while ((await client.call("POST", path, body)).code === 429) await pause(500);
    },
    close: () => agent.destroy(),
  };
  return client;
}

const pause = (time: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, time);
  });

/** Evicts pods 20 at a time. */
export async function evictAll(client: BareClient, pods: readonly BarePod[]): Promise<void> {
  const queue = [...pods];
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        await client.evict(next);
    }),
  );
}
