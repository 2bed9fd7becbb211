import type http from "node:http";
import { Readable } from "node:stream";
import { inspect } from "node:util";
import { CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { milliseconds } from "../../lambda/base/time.ts";
import { ConnectionError } from "../../lambda/http/lost-connection.ts";
import { type CallBounds, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { configurationOf } from "../support/configuration-of.ts";
import { type Loopback, type Speech, serve } from "../support/loopback.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) close();
});

const secret = "k8s-aws-v1.secret";
const userAgent = "eks-node-lifecycle/1.2.3";

function connect(server: Pick<Loopback, "url" | "certificateAuthority" | "close">): KubeConnection {
  const { url: endpoint, certificateAuthority } = server;
  const address = { endpoint, certificateAuthority, userAgent };
  const connection = new KubeConnection(address, () => Promise.resolve(secret));
  closers.push(server.close, () => connection.close());
  return connection;
}

const core = (connection: KubeConnection, bounds?: CallBounds): CoreV1Api =>
  new CoreV1Api(configurationOf(connection, bounds));

const json = { "content-type": "application/json" };
const node = (name = "a"): string => JSON.stringify({ kind: "Node", metadata: { name } });
const readNode = (connection: KubeConnection, bounds?: CallBounds) =>
  core(connection, bounds).readNode({ name: "a" });
const evict = (connection: KubeConnection) =>
  core(connection).createNamespacedPodEviction({ name: "p", namespace: "n", body: {} });
const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );

describe.each<Speech>(["h2", "https", "http"])(
  "a connection to a server that speaks %s",
  (speech) => {
    it("carries client-node's calls with our user agent, our token and their bodies", async () => {
      const seen: unknown[] = [];
      const server = await serve(speech, (request, response) => {
        const { method, url, httpVersion, headers } = request;
        const chunks: Buffer[] = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", () => {
          const body = Buffer.concat(chunks).toString();
          const { "user-agent": agent, authorization, "content-type": type } = headers;
          seen.push({ method, url, httpVersion, agent, authorization, type, body });
          response.writeHead(200, json).end(node());
        });
      });
      const connection = connect(server);

      const patched = await core(connection).patchNode(
        { name: "a", body: { spec: { unschedulable: true, note: "ü" } } },
        setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
      );

      expect(patched.metadata?.name).toBe("a");
      expect(seen).toEqual([
        {
          method: "PATCH",
          url: "/api/v1/nodes/a",
          httpVersion: speech === "h2" ? "2.0" : "1.1",
          agent: userAgent,
          authorization: `Bearer ${secret}`,
          type: "application/strategic-merge-patch+json",
          body: '{"spec":{"unschedulable":true,"note":"ü"}}',
        },
      ]);
    });

    it("reads no more of an answer than its caller wants, and goes on with the next one", async () => {
      let sent = 0;
      const chunks = function* () {
        for (; sent < 50_000_000; sent += 100_000) yield "x".repeat(100_000);
      };
      const server = await serve(speech, ({ url }, response) => {
        response.writeHead(200, json);
        Readable.from(url === "/long" ? chunks() : ["{}"]).pipe(response);
      });
      const connection = connect(server);
      const asked = { method: "GET", path: "/long", headers: {}, body: undefined };

      const failure = await failureOf(connection.send(asked, { most: 1_000_000 }));

      expect(failure).toMatchObject({ message: "the answer has more than 1 MB" });
      expect(failure).not.toBeInstanceOf(ConnectionError);
      expect((await connection.send({ ...asked, path: "/healthz" })).status).toBe(200);
      expect(sent).toBeLessThan(20_000_000);
    });

    it("uses one connection for requests that follow each other", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).end(node());
      });
      const connection = connect(server);
      for (let count = 0; count < 20; count += 1) await readNode(connection);
      expect(server.sockets).toHaveLength(1);
    });

    it("does not treat an error answer as a failure of the connection", async () => {
      const server = await serve(speech, (_request, response) => {
        response
          .writeHead(429, { ...json, "retry-after": "7" })
          .end('{"reason":"TooManyRequests"}');
      });
      await expect(evict(connect(server))).rejects.toMatchObject({
        code: 429,
        body: '{"reason":"TooManyRequests"}',
        headers: { "retry-after": "7" },
      });
    });

    it("stays free for the next call when a 401 is dropped unread", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(401, json).end(JSON.stringify({ message: "x".repeat(100_000) }));
      });
      const connection = connect(server);
      for (let count = 0; count < 5; count += 1) {
        await expect(readNode(connection)).rejects.toMatchObject({ code: 401 });
      }
      expect(server.sockets).toHaveLength(1);
    });

    it("gives up on a server that does not answer, and the next call works", async () => {
      let state: "silent" | "answers" = "silent";
      const server = await serve(speech, (_request, response) => {
        if (state === "answers") response.writeHead(200, json).end(node());
      });
      const connection = connect(server);

      const failure = await failureOf(readNode(connection, { limit: milliseconds(150) }));
      state = "answers";

      expect(failure).toBeInstanceOf(ConnectionError);
      expect(failure).toMatchObject({
        reason: "timeout",
        unsent: false,
        message: "GET /api/v1/nodes/a: no answer within 150 ms",
      });
      await expect(readNode(connection)).resolves.toMatchObject({ metadata: { name: "a" } });
    });

    it("gives up on an answer that stops half-way", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).write('{"kind":');
      });
      await expect(readNode(connect(server), { limit: milliseconds(150) })).rejects.toMatchObject({
        reason: "timeout",
      });
    });

    it("throws the caller's own reason when the caller aborts", async () => {
      const server = await serve(speech, () => undefined);
      const connection = connect(server);
      await connection.open();
      const caller = new AbortController();
      const call = failureOf(readNode(connection, { signal: caller.signal }));
      setTimeout(() => caller.abort(new RangeError("enough")), 50);
      await expect(call).resolves.toEqual(new RangeError("enough"));
    });

    it("repeats a GET once when the connection breaks before the answer", async () => {
      let requests = 0;
      const server = await serve(speech, (_request, response) => {
        requests += 1;
        if (requests === 1) server.sockets[0]?.destroy();
        else response.writeHead(200, json).end(node());
      });
      await expect(readNode(connect(server))).resolves.toMatchObject({ metadata: { name: "a" } });
      expect(requests).toBe(2);
      expect(server.sockets).toHaveLength(2);
    });

    it("does not try a GET a third time", async () => {
      let requests = 0;
      const server = await serve(speech, () => {
        requests += 1;
        for (const socket of server.sockets) socket.destroy();
      });
      await expect(readNode(connect(server))).rejects.toMatchObject({ reason: "reset" });
      expect(requests).toBe(2);
    });

    it("never repeats an eviction that the server may have seen", async () => {
      let requests = 0;
      const server = await serve(speech, () => {
        requests += 1;
        server.sockets[0]?.destroy();
      });
      await expect(evict(connect(server))).rejects.toMatchObject({
        reason: "reset",
        unsent: false,
      });
      expect(requests).toBe(1);
    });

    it("treats an answer that breaks off as a reset, not as a short answer", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).write("{}");
        setTimeout(() => server.sockets[0]?.destroy(), 50);
      });
      await expect(readNode(connect(server))).rejects.toMatchObject({ reason: "reset" });
    });

    it("does not reuse a connection that was idle for half a minute", async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).end(node());
      });
      const connection = connect(server);
      await readNode(connection);

      vi.setSystemTime(Date.now() + 29_000);
      await readNode(connection);
      expect(server.sockets).toHaveLength(1);

      vi.setSystemTime(Date.now() + 31_000);
      await readNode(connection);
      expect(server.sockets).toHaveLength(2);
      await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
    });

    it("lets a call on such an old connection finish, and then closes the connection", async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const held: http.ServerResponse[] = [];
      const server = await serve(speech, (_request, response) => {
        if (held.push(response) > 1) response.writeHead(200, json).end(node("new"));
      });
      const connection = connect(server);
      const old = readNode(connection);
      await expect.poll(() => held.length).toBe(1);

      vi.setSystemTime(Date.now() + 61_000);
      await readNode(connection);
      held[0]?.writeHead(200, json).end(node("old"));

      await expect(old).resolves.toMatchObject({ metadata: { name: "old" } });
      await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
      expect(server.sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    });

    it("says that the connection was refused", async () => {
      const server = await serve(speech, () => undefined);
      server.close();
      await expect(evict(connect(server))).rejects.toMatchObject({
        name: "ConnectionError",
        reason: "refused",
        cause: { code: "ECONNREFUSED" },
      });
    });

    it("does not show a token in an error", async () => {
      const server = await serve(speech, () => {
        for (const socket of server.sockets) socket.destroy();
      });
      const failure = await failureOf(readNode(connect(server)));
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain("secret");
    });

    it("keeps the path of the endpoint, as a proxy in front of the API server needs it", async () => {
      const paths: unknown[] = [];
      const server = await serve(speech, (request, response) => {
        paths.push(request.url);
        response.writeHead(200, json).end(node());
      });
      const url = new URL("/k8s/clusters/c-1/", server.url);
      await readNode(connect({ ...server, url }));
      expect(paths).toEqual(["/k8s/clusters/c-1/api/v1/nodes/a"]);
    });

    it("makes its token while it opens; if that fails, the first call makes it", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).end(node());
      });
      const { url: endpoint, certificateAuthority } = server;
      const token = vi.fn(async () => secret).mockRejectedValueOnce(new RangeError("no key yet"));
      const connection = new KubeConnection({ endpoint, certificateAuthority, userAgent }, token);
      closers.push(server.close, () => connection.close());
      await expect(connection.open()).rejects.toThrow("no key yet");
      await expect(readNode(connection)).resolves.toMatchObject({ metadata: { name: "a" } });
    });

    it("does not connect again for a call that was under way when it was closed", async () => {
      const begun = Promise.withResolvers<void>();
      const server = await serve(speech, () => begun.resolve());
      const connection = connect(server);
      const call = readNode(connection);
      await begun.promise;
      connection.close();
      await expect(call).rejects.toThrow();
      expect(server.sockets).toHaveLength(1);
    });

    it("connects again after it was closed", async () => {
      const server = await serve(speech, (_request, response) => {
        response.writeHead(200, json).end(node());
      });
      const connection = connect(server);
      await readNode(connection);
      connection.close();
      await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
      await expect(readNode(connection)).resolves.toBeDefined();
    });
  },
);
