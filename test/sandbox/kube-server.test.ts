import { once } from "node:events";
import { request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { milliseconds } from "../../lambda/base/time.ts";
import { shuttingDown } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import {
  type KubeServer,
  type KubeServerOptions,
  startKubeServer,
} from "../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { overHttps } from "./over-https.ts";

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(options?: KubeServerOptions) {
  const timeline = new WallTimeline();
  ends.push(() => timeline.stop());
  const cluster = new SandboxCluster(timeline, {
    podStart: milliseconds(0),
    reaction: milliseconds(1),
    authenticator: async (token) =>
      token === "valid" ? { username: "drainer", groups: ["drainers"] } : undefined,
  });
  cluster.addNode({ name: "node-1", providerID: "aws:///eu-west-1a/i-07e9ea9eb19a67337" });
  const annotations = { "hollow/term-seconds": "0" };
  cluster.addPod({ name: "web", node: "node-1", labels: { app: "web" }, annotations });
  const server = await startKubeServer(cluster, options);
  ends.push(() => server.close());
  return { cluster, server };
}

const authority = (server: KubeServer) =>
  Buffer.from(server.certificateAuthority, "base64").toString();

async function session(server: KubeServer): Promise<ClientHttp2Session> {
  const client = connect(server.url, { ca: authority(server) });
  client.on("error", () => undefined);
  ends.push(() => client.destroy());
  await once(client, "connect");
  return client;
}

function get(client: ClientHttp2Session, path: string, method = "GET") {
  const stream = client.request({
    ":path": path,
    ":method": method,
    authorization: "Bearer valid",
  });
  return Object.assign(stream, { headers: once(stream, "response").then(([headers]) => headers) });
}

describe("the server over HTTP/2", () => {
  it("sends a watch's headers at once and its lines as they come, and forgets it when the client closes it", async () => {
    const { cluster, server } = await started();
    const client = await session(server);
    const from = cluster.store.revision;
    const watch = get(client, `/api/v1/nodes?watch=1&resourceVersion=${from}`);
    await expect(watch.headers).resolves.toMatchObject({ ":status": 200 });
    const lines: string[] = [];
    watch.setEncoding("utf8").on("data", (chunk: string) => lines.push(chunk));

    cluster.addNode({ name: "node-2" });
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ type: "ADDED", object: { kind: "Node" } });
    watch.close();
    await once(watch, "close");
    cluster.addNode({ name: "node-3" });

    await expect(text(get(client, "/api/v1/nodes/node-3"))).resolves.toContain("node-3");
    expect(lines).toHaveLength(1);
  });

  it("resets one stream where a fault plan says so, and keeps the connection open", async () => {
    const { cluster, server } = await started();
    cluster.failNext({ verb: "list" }, "reset");
    const client = await session(server);

    const broken = get(client, "/api/v1/nodes");
    broken.headers.catch(() => undefined);
    await expect(text(broken)).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");

    await expect(text(get(client, "/api/v1/nodes"))).resolves.toContain("NodeList");
  });

  it("sends GOAWAY with an answer that closes the connection, and on command", async () => {
    const { cluster, server } = await started();
    cluster.failNext({}, shuttingDown);
    const [first, second] = [await session(server), await session(server)];

    const goaway = once(first, "goaway");
    const answer = get(first, "/api/v1/nodes");
    await expect(text(answer)).resolves.toBe(
      "The apiserver is shutting down, please try again later.\n",
    );
    await expect(answer.headers).resolves.toMatchObject({ ":status": 429, "retry-after": "5" });
    await goaway;
    const told = once(second, "goaway");
    server.sendGoAway();

    await told;
  });

  it("breaks every connection on command, and accepts new ones", async () => {
    const { server } = await started();
    const client = await session(server);
    const watch = get(client, "/api/v1/nodes?watch=1");
    watch.on("error", () => undefined);
    await watch.headers;
    const closed = once(client, "close");

    server.dropConnections();
    await closed;

    await expect(text(get(await session(server), "/readyz"))).resolves.toBe("ok");
  });

  it("presents another authority's certificate after a rotation", async () => {
    const { server } = await started();
    const before = authority(server);
    const path = `${server.url}/readyz`;
    await expect(overHttps(path, { ca: before })).resolves.toMatchObject({ status: 200 });

    await server.rotateCertificate();

    await expect(overHttps(path, { ca: before })).rejects.toThrow(/certificate|signature/);
    await expect(overHttps(path, { ca: authority(server) })).resolves.toMatchObject({
      status: 200,
    });
  });
});

describe("the server over HTTP/1.1", () => {
  it("answers with the same headers as a real API server", async () => {
    const { server } = await started();

    const { headers } = await overHttps(`${server.url}/api/v1/nodes/none`, {
      ca: authority(server),
      headers: { authorization: "Bearer valid" },
    });

    expect(headers).toMatchObject({
      "audit-id": expect.any(String),
      "cache-control": "no-cache, private",
      "content-type": "application/json",
      "x-kubernetes-pf-flowschema-uid": expect.any(String),
      "x-kubernetes-pf-prioritylevel-uid": expect.any(String),
    });
  });

  it("sends a watch's headers before its first line, and cancels it when the client disconnects", async () => {
    let cancelled = 0;
    const server = await startKubeServer(
      {
        handle: async () => ({
          kind: "stream",
          status: 200,
          headers: {},
          open: () => () => {
            cancelled += 1;
          },
        }),
      },
      { protocol: "http" },
    );
    ends.push(() => server.close());

    const call = request(`${server.url}/api/v1/nodes?watch=1`, { agent: false });
    call.on("error", () => undefined).end();
    const [response] = await once(call, "response");
    expect(response).toMatchObject({ statusCode: 200 });
    expect(cancelled).toBe(0);
    call.destroy();

    await expect.poll(() => cancelled).toBe(1);
  });
});

describe("a long answer", () => {
  const images = Array.from({ length: 8000 }, (_, index) => ({ names: [`image-${index}`] }));

  it.each([
    ["gzip, br", "/api/v1/nodes", "gzip"],
    ["br", "/api/v1/nodes", undefined],
    ["gzip;q=1", "/api/v1/nodes", undefined],
    ["gzip", "/api/v1/pods", undefined],
  ])("to a caller that accepts %s at %s is encoded with %s", async (accepted, path, coding) => {
    const { cluster, server } = await started();
    const node = { resource: nodes, name: "node-1" };
    cluster.store.update(node, (it) => ({ ...it, status: { ...it.status, images } }));
    const client = await session(server);

    const stream = client.request({
      ":path": path,
      authorization: "Bearer valid",
      "accept-encoding": accepted,
    });
    const [headers] = await once(stream, "response");
    const content = await buffer(stream);

    expect(headers["content-encoding"]).toBe(coding);
    const plain = coding === undefined ? content : gunzipSync(content);
    expect(JSON.parse(plain.toString())).toMatchObject({ items: expect.any(Array) });
  });
});
