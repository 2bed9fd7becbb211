import type http from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import type { WatchQuery } from "../../lambda/kubernetes/kube-watch.ts";
import { type Loopback, type Speech, serve } from "../support/loopback.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) close();
});

interface Watching {
  readonly query?: WatchQuery;
  readonly signal?: AbortSignal;
}

async function watch(server: Loopback, { query = {}, signal }: Watching = {}) {
  const { url: endpoint, certificateAuthority } = server;
  const address = { endpoint, certificateAuthority, userAgent: "eks-node-lifecycle/1.2.3" };
  const connection = new KubeConnection(address, async () => "secret");
  closers.push(server.close, () => connection.close());
  return connection.watch("/api/v1/pods", query, signal ?? new AbortController().signal);
}

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const event = (name: string) => ({ type: "MODIFIED", object: { metadata: { name } } });
const line = (name: string): string => `${JSON.stringify(event(name))}\n`;

describe.each<Speech>(["h2", "https", "http"])("a watch over %s", (speech) => {
  it("requests the collection as called, with our own token and user agent", async () => {
    const seen: http.IncomingMessage[] = [];
    const server = await serve(speech, (request, response) => {
      seen.push(request);
      response.end();
    });
    const query = { fieldSelector: "spec.nodeName=a b", resourceVersion: "7", limit: undefined };
    await all(await watch(server, { query }));
    const [request] = seen;
    const { searchParams, pathname } = new URL(request?.url ?? "", server.url);
    expect({ pathname, ...Object.fromEntries(searchParams) }).toEqual({
      pathname: "/api/v1/pods",
      watch: "true",
      fieldSelector: "spec.nodeName=a b",
      resourceVersion: "7",
    });
    expect(request?.headers).toMatchObject({
      "user-agent": "eks-node-lifecycle/1.2.3",
      authorization: "Bearer secret",
    });
  });

  it("gives the same events however the bytes are cut, and ends when the server ends it", async () => {
    const bytes = Buffer.from(line("zwölf") + line("日本") + line("🙂"));
    const server = await serve(speech, async (_request, response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    await expect(all(await watch(server))).resolves.toEqual(["zwölf", "日本", "🙂"].map(event));
  });

  it("gives several events in one chunk one by one", async () => {
    const server = await serve(speech, (_request, response) => {
      response.end(`${line("a")}${line("b")}\n${line("c")}`);
    });
    await expect(all(await watch(server))).resolves.toEqual(["a", "b", "c"].map(event));
  });

  it("gives an event at once, while the watch goes on", async () => {
    const server = await serve(speech, (_request, response) => {
      response.write(line("a"));
    });
    const events = await watch(server);
    await expect(events.next()).resolves.toEqual({ done: false, value: event("a") });
  });

  it("throws a refusal, with its body", async () => {
    const body = '{"kind":"Status","code":410,"reason":"Expired"}';
    const server = await serve(speech, (_request, response) => {
      response.writeHead(410, { "content-type": "application/json" }).end(body);
    });
    await expect(all(await watch(server))).rejects.toMatchObject({
      code: 410,
      body,
      headers: { "content-type": "application/json" },
    });
  });

  it("throws when the connection is lost", async () => {
    const server = await serve(speech, (_request, response) => {
      response.write(line("a"));
      setTimeout(() => server.sockets[0]?.destroy(), 50);
    });
    await expect(all(await watch(server))).rejects.toMatchObject({
      name: "ConnectionError",
      reason: "reset",
      message: expect.stringContaining("GET /api/v1/pods: "),
    });
  });

  it("throws when the server ends it within a line", async () => {
    const server = await serve(speech, (_request, response) => {
      response.end('{"type":"ADD');
    });
    await expect(all(await watch(server))).rejects.toMatchObject({ reason: "reset" });
  });

  it("throws when a line is not JSON", async () => {
    const server = await serve(speech, (_request, response) => {
      response.end("<html>\n");
    });
    await expect(all(await watch(server))).rejects.toMatchObject({ name: "ConnectionError" });
  });

  it("ends without an error when its caller ends it, and tells the server", async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const server = await serve(speech, (_request, response) => {
      response.on("close", leave);
      response.write(line("a"));
    });
    const caller = new AbortController();
    const events = await watch(server, { signal: caller.signal });
    await events.next();
    setTimeout(() => caller.abort(), 30);
    await expect(events.next()).resolves.toEqual({ done: true, value: undefined });
    await left;
  });

  it("gives nothing to a caller that has already gone", async () => {
    const server = await serve(speech, (_request, response) => {
      response.end(line("a"));
    });
    await expect(all(await watch(server, { signal: AbortSignal.abort() }))).resolves.toEqual([]);
  });

  it("tells the server when the loop over it is left", async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const server = await serve(speech, (_request, response) => {
      response.on("close", leave);
      response.write(line("a"));
    });
    for await (const _ of await watch(server)) break;
    await left;
  });

  it("must begin within thirty seconds, and may then go on for any time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { promise: begun, resolve: begin } = Promise.withResolvers<http.ServerResponse>();
    const silent = await serve(speech, () => undefined);
    const lively = await serve(speech, (_request, response) => {
      response.write(line("a"));
      begin(response);
    });
    const never = all(await watch(silent));
    never.catch(() => undefined);
    const events = await watch(lively);
    await events.next();

    await vi.advanceTimersByTimeAsync(30_000);

    await expect(never).rejects.toMatchObject({ reason: "timeout" });
    (await begun).end(line("b"));
    await expect(all(events)).resolves.toEqual([event("b")]);
  });
});
