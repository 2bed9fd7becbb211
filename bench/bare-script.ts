/**
 * The contender that does as little as possible: it lists the pods of a node once, evicts 20 at a time over
 * kept-alive connections, and retries refused evictions after half a second.
 *
 *     node bench/bare-script.ts NODE KUBECONFIG
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { parse } from "yaml";

const [, , node = "", kubeconfig = ""] = process.argv;
const { clusters, users } = parse(readFileSync(kubeconfig, "utf8"));
const { server, "certificate-authority": ca } = clusters[0].cluster;
const { "client-certificate": cert, "client-key": key } = users[0].user;
const agent = new Agent({
  keepAlive: true,
  maxSockets: 20,
  ca: readFileSync(ca),
  cert: readFileSync(cert),
  key: readFileSync(key),
});

function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ code: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; text: string }>();
  const headers = { "content-type": "application/json", "user-agent": "bare-script" };
  const sent = request(new URL(path, server), { method, agent, headers }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on("data", (chunk) => chunks.push(chunk));
    answer.on("end", () =>
      resolve({ code: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
    );
  });
  sent.on("error", reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const listPath = `/api/v1/pods?fieldSelector=spec.nodeName=${node}`;
const podsOf = async () => Object(JSON.parse((await call("GET", listPath)).text)).items;

async function evict({ metadata: { namespace, name } }: { metadata: Record<string, string> }) {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  while ((await call("POST", path, body)).code === 429)
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
}

const queue = await podsOf();
await Promise.all(
  Array.from({ length: 20 }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await evict(next);
  }),
);
while ((await podsOf()).length > 0)
  await new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
agent.destroy();
