import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { afterEach, describe, expect, it } from "vitest";
import { overTheNetwork } from "../../lambda/aws/eks-cluster-client.ts";
import { nodeName, podUid } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { unchanged } from "../../lambda/drain/marking.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { aPod } from "../support/builders.ts";
import { serveStreams } from "../support/loopback.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close();
});

/** A cluster whose API server takes a hundred requests on a connection, and never answers about pods of these namespaces. */
async function slowFor(...namespaces: readonly string[]) {
  const held: string[] = [];
  const server = await serveStreams(
    (
      stream: ServerHttp2Stream,
      { [constants.HTTP2_HEADER_PATH]: path = "" }: IncomingHttpHeaders,
    ) => {
      const namespace = /namespaces\/([^/]+)\/pods/.exec(`${path}`)?.[1] ?? "";
      if (namespaces.includes(namespace)) held.push(namespace);
      else {
        stream.respond({ ":status": 200, "content-type": "application/json" });
        stream.end(
          JSON.stringify({
            kind: "Node",
            metadata: { name: "a", uid: "u", resourceVersion: "1" },
            items: [],
          }),
        );
      }
    },
    { maxConcurrentStreams: 100 },
  );
  const clock = new ServerClock(systemClock);
  const { url: endpoint, certificateAuthority } = server;
  const address = { endpoint, certificateAuthority, userAgent: "test" };
  const connection = overTheNetwork(clock)(address, async () => "token");
  closers.push(server.close, () => connection.close());
  const client: KubeClient = {
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  };
  return { cluster: new KubeCluster(client, clock), held, server };
}

const podsIn = (namespace: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    aPod({ namespace, name: `p-${at}`, uid: podUid(`${namespace}-${at}`) }),
  );

/** The same, with two hundred requests for pods of each of these namespaces under way. */
async function crowdedBy(...namespaces: readonly string[]): Promise<KubeCluster> {
  const { cluster, held } = await slowFor(...namespaces);
  const asked = namespaces
    .flatMap((namespace) => podsIn(namespace, 100))
    .flatMap((pod) => [cluster.evict(pod, "own"), cluster.remove(pod, seconds(1))]);
  void Promise.allSettled(asked); // none is answered: they end with the connection
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(30);
  return cluster;
}

describe("where webhooks answer no eviction and no deletion of a namespace", () => {
  it.each([[["a"]], [["a", "b", "c", "d"]]])(
    "nodes are read and marked all the same: %s",
    async (namespaces) => {
      const cluster = await crowdedBy(...namespaces);
      const node = await cluster.node(nodeName("a"));
      if (node === "absent") expect.fail();
      const change = () => ({ ...unchanged, annotations: {} });
      expect(await cluster.mark(node, change)).toBe("marked");
    },
  );

  it.each([[["a"]], [["a", "b", "c", "d"]]])(
    "the pods of other namespaces are evicted and deleted: %s",
    async (namespaces) => {
      const cluster = await crowdedBy(...namespaces);
      const [pod = expect.fail()] = podsIn("shop", 1);
      expect(await cluster.evict(pod, "own")).toEqual({ kind: "accepted" });
      expect(await cluster.remove(pod, seconds(1))).toEqual({ kind: "accepted" });
    },
  );
});

describe("evictions", () => {
  it("of hundreds of pods take two connections at most, and each is sent", async () => {
    const { cluster, server } = await slowFor();
    const answers = await Promise.all(podsIn("shop", 300).map((pod) => cluster.evict(pod, "own")));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    expect(server.sockets).toHaveLength(2);
  });

  it("of a few pods take one connection", async () => {
    const { cluster, server } = await slowFor();
    await Promise.all(podsIn("shop", 10).map((pod) => cluster.evict(pod, "own")));
    expect(server.sockets).toHaveLength(1);
  });
});
