import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { milliseconds } from "../../lambda/base/time.ts";
import { dial } from "../../lambda/http/dial.ts";
import { wholeBody } from "../../lambda/http/transport.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { configurationOf } from "../support/configuration-of.ts";
import { type Loopback, serveStreams } from "../support/loopback.ts";

const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL } =
  constants;

const closers: (() => unknown)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) close();
});

function connect({ url: endpoint, certificateAuthority, close }: Omit<Loopback, "sockets">) {
  const address = { endpoint, certificateAuthority, userAgent: "test" };
  const connection = new KubeConnection(address, () => Promise.resolve("token"));
  closers.push(close, () => connection.close());
  return connection;
}

function answer(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond({ ":status": 200, "content-type": "application/json" });
  stream.end("{}");
}

const sessionOf = (stream: ServerHttp2Stream): Http2Session =>
  stream.session ?? expect.fail("the stream has no session");
const read = (connection: KubeConnection, limit = 30_000) =>
  new CoreV1Api(configurationOf(connection, { limit: milliseconds(limit) })).readNode({
    name: "a",
  });
const evict = (connection: KubeConnection, limit = 30_000) =>
  new CoreV1Api(
    configurationOf(connection, { limit: milliseconds(limit) }),
  ).createNamespacedPodEviction({ name: "p", namespace: "n", body: {} });
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe("many requests over one HTTP/2 session", () => {
  it("share one connection from the start", async () => {
    const server = await serveStreams((stream) => setTimeout(() => answer(stream), 20));
    const connection = connect(server);
    await Promise.all(times(100, () => evict(connection)));
    expect(server.sockets).toHaveLength(1);
  });

  it("never exceed the number that the server allows, and none is lost", async () => {
    let open = 0;
    let most = 0;
    let evictions = 0;
    const onStream = (stream: ServerHttp2Stream): void => {
      open += 1;
      evictions += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        answer(stream);
      }, 5);
    };
    const server = await serveStreams(onStream, { maxConcurrentStreams: 10 });
    const connection = connect(server);

    const answers = await Promise.all(times(100, () => evict(connection)));

    expect(answers).toHaveLength(100);
    expect({ evictions, most, connections: server.sockets.length }).toEqual({
      evictions: 100,
      most: 10,
      connections: 1,
    });
  });

  it("may time out while they wait in line, and those behind them are served", async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serveStreams((stream) => held.push(stream), { maxConcurrentStreams: 1 });
    const connection = connect(server);
    const first = evict(connection);
    await expect.poll(() => held.length).toBe(1);
    const [impatient, patient] = [evict(connection, 100), evict(connection)];
    await expect(impatient).rejects.toMatchObject({ reason: "timeout" });
    for (const stream of held) answer(stream);
    await first;
    await expect.poll(() => held.length).toBe(2);
    for (const stream of held.slice(1)) answer(stream);
    await expect(patient).resolves.toBeDefined();
  });

  it("go over a new connection if they waited in line when the first was lost", async () => {
    let streams = 0;
    const onStream = (stream: ServerHttp2Stream): void => {
      streams += 1;
      if (streams === 1) setTimeout(() => server.sockets[0]?.destroy(), 50);
      else answer(stream);
    };
    const server: Loopback = await serveStreams(onStream, { maxConcurrentStreams: 1 });
    const connection = connect(server);

    const outcomes = await Promise.allSettled(times(3, () => evict(connection)));

    // Only the first eviction may have been seen by the server.
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(outcomes[0]).toMatchObject({ reason: { reason: "reset", unsent: false } });
  });
});

describe("an answer over HTTP/2", () => {
  const longText = "x".repeat(100_000);
  const request = { method: "GET", path: "/", headers: {}, body: undefined };
  const { signal } = new AbortController();

  async function dialled(onStream: (stream: ServerHttp2Stream) => void) {
    const { url: endpoint, certificateAuthority, close } = await serveStreams(onStream);
    const transport = await dial({ endpoint, certificateAuthority });
    closers.push(close, () => transport.close());
    return transport;
  }

  it("is complete when it is read long after it has come", async () => {
    const transport = await dialled((stream) => {
      stream.respond({ ":status": 200 });
      stream.end(longText);
    });
    const { body } = await transport.request({ ...request, signal });
    await sleep(50);
    expect((await wholeBody(body)).toString()).toBe(longText);
  });

  it("is complete when it is read slowly", async () => {
    const transport = await dialled((stream) => {
      stream.respond({ ":status": 200 });
      stream.end(longText);
    });
    const { body } = await transport.request({ ...request, signal });
    let text = "";
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString();
      await sleep(5);
    }
    expect(text).toBe(longText);
  });

  it("may be megabytes long without waiting for the client", async () => {
    const room: unknown[] = [];
    const transport = await dialled((stream) => {
      const { state, remoteSettings } = sessionOf(stream);
      room.push(state.remoteWindowSize, remoteSettings.initialWindowSize);
      stream.respond({ ":status": 200 }, { endStream: true });
    });
    const { body } = await transport.request({ ...request, signal });
    await wholeBody(body);
    expect(room).toEqual([2 ** 22, 2 ** 22]);
  });

  it("is cancelled when it is left early", async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<number>();
    const transport = await dialled((stream) => {
      stream.on("close", () => leave(stream.rstCode));
      stream.respond({ ":status": 200 });
      stream.write(longText);
    });
    const { body } = await transport.request({ ...request, signal });
    for await (const _ of body) break;
    await expect(left).resolves.toBe(NGHTTP2_CANCEL);
  });

  it("is cancelled when its caller aborts, and the caller hears why", async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<number>();
    const caller = new AbortController();
    const transport = await dialled((stream) => {
      stream.on("close", () => leave(stream.rstCode));
      caller.abort(new RangeError("enough"));
    });
    const asked = transport.request({ ...request, signal: caller.signal });
    await expect(asked).rejects.toThrow("enough");
    await expect(left).resolves.toBe(NGHTTP2_CANCEL);
  });

  it("does not come for a caller that aborts while the request is about to leave", async () => {
    const caller = new AbortController();
    const transport = await dialled(answer);
    const asked = transport.request({ ...request, signal: caller.signal });
    caller.abort(new RangeError("enough"));
    await expect(asked).rejects.toThrow("enough");
  });
});

describe("a server that says goaway", () => {
  it("finishes the requests that it has accepted, and gets no more on that connection", async () => {
    const perConnection = new Map<unknown, number>();
    const server = await serveStreams((stream) => {
      const session = sessionOf(stream);
      perConnection.set(session, (perConnection.get(session) ?? 0) + 1);
      session.goaway(NGHTTP2_NO_ERROR, stream.id);
      setTimeout(() => answer(stream), 30);
    });
    const connection = connect(server);
    await evict(connection);
    await evict(connection);
    expect([...perConnection.values()]).toEqual([1, 1]);
  });

  it("gets the requests that waited over a new connection, while it finishes the old ones", async () => {
    const held: ServerHttp2Stream[] = [];
    const onStream = (stream: ServerHttp2Stream): void => {
      if (held.push(stream) === 1) sessionOf(stream).goaway(NGHTTP2_NO_ERROR, stream.id);
      else answer(stream);
    };
    const connection = connect(await serveStreams(onStream, { maxConcurrentStreams: 1 }));
    const [first, second] = [evict(connection), evict(connection)];
    await expect(second).resolves.toBeDefined();
    for (const stream of held.slice(0, 1)) answer(stream);
    await expect(first).resolves.toBeDefined();
  });

  it.each([NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM])(
    "gets an eviction above its last stream again, over a new connection (code %i)",
    async (code) => {
      let streams = 0;
      const refuseSecond = (session: Http2Session): void => {
        session.goaway(code, 1);
        setTimeout(() => session.destroy(), 50);
      };
      const server = await serveStreams((stream) => {
        streams += 1;
        if (streams === 2) refuseSecond(sessionOf(stream));
        if (streams === 3) answer(stream);
      });
      const connection = connect(server);
      const [first, second] = await Promise.allSettled([evict(connection), evict(connection)]);
      // The first was below the last stream: the server may have acted on it.
      expect(first).toMatchObject({ status: "rejected", reason: { unsent: false } });
      expect(second.status).toBe("fulfilled");
      expect(streams).toBe(3);
      expect(server.sockets).toHaveLength(2);
    },
  );
});

describe("a stream that the server resets", () => {
  it("makes the client repeat an eviction that the server refused", async () => {
    let streams = 0;
    const server = await serveStreams((stream) => {
      streams += 1;
      if (streams < 3) stream.close(NGHTTP2_REFUSED_STREAM);
      else answer(stream);
    });
    await expect(evict(connect(server))).resolves.toBeDefined();
    expect({ streams, connections: server.sockets.length }).toEqual({ streams: 3, connections: 1 });
  });

  it("makes the client give up after four refusals", async () => {
    let streams = 0;
    const server = await serveStreams((stream) => {
      streams += 1;
      stream.close(NGHTTP2_REFUSED_STREAM);
    });
    await expect(evict(connect(server))).rejects.toMatchObject({ reason: "reset", unsent: true });
    expect(streams).toBe(4);
  });

  it("is a failure when the answer has already begun", async () => {
    const server = await serveStreams((stream) => {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.write("{}");
      // An abort signal makes Node reset the stream with CANCEL; `close` would end it properly.
      addAbortSignal(AbortSignal.timeout(30), stream);
    });
    await expect(read(connect(server))).rejects.toMatchObject({ reason: "reset" });
  });
});

describe("a connection that has fallen silent", () => {
  it("is closed after a timeout during which nothing came back", async () => {
    // By its connection, for a timeout may be over before the first request has reached the server.
    const server: Loopback = await serveStreams((stream) => {
      if (server.sockets.length > 1) answer(stream);
    });
    const connection = connect(server);
    await connection.open();
    await expect(read(connection, 100)).rejects.toMatchObject({ reason: "timeout" });
    await read(connection);
    expect(server.sockets).toHaveLength(2);
  });

  it("is kept after a timeout when other answers came back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const server = await serveStreams((stream, headers) => {
      if (headers[":method"] === "GET") answer(stream);
    });
    const connection = connect(server);
    await connection.open();
    const slow = evict(connection, 1000);
    slow.catch(() => undefined);
    await sleep(50);
    await read(connection);
    await vi.advanceTimersByTimeAsync(1000);
    await expect(slow).rejects.toMatchObject({ reason: "timeout" });
    await read(connection);
    expect(server.sockets).toHaveLength(1);
  });

  it("ends a watch that would never end", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "setTimeout", "clearTimeout"] });
    const server = await serveStreams((stream) => {
      stream.respond({ ":status": 200 });
      stream.write('{"type":"ADDED"}\n');
    });
    const link = await deaf(server);
    const watch = connect(link).watch("/api/v1/pods", {}, new AbortController().signal);
    await expect(watch.next()).resolves.toEqual({ done: false, value: { type: "ADDED" } });

    link.cut();
    const end = watch.next();
    end.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(50_000);

    await expect(end).rejects.toMatchObject({
      reason: "timeout",
      message: "GET /api/v1/pods: the server no longer answers",
    });
  });

  it("keeps a quiet watch whose server is alive", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "setTimeout", "clearTimeout"] });
    const { promise: answered, resolve: onAnswer } = Promise.withResolvers<void>();
    const { promise: served, resolve: onStream } = Promise.withResolvers<ServerHttp2Stream>();
    const server = await serveStreams((stream) => {
      const session = sessionOf(stream);
      // What answers the server's own ping has read the answer to the client's, which was sent before it.
      session.on("ping", () => session.ping(() => onAnswer()));
      stream.respond({ ":status": 200 });
      stream.write('{"type":"ADDED"}\n');
      onStream(stream);
    });
    const watch = connect(server).watch("/api/v1/pods", {}, new AbortController().signal);
    await watch.next();
    await vi.advanceTimersByTimeAsync(31_000);
    await answered;
    await vi.advanceTimersByTimeAsync(20_000);
    (await served).end('{"type":"DELETED"}\n');
    await expect(watch.next()).resolves.toMatchObject({ value: { type: "DELETED" } });
    await expect(watch.next()).resolves.toMatchObject({ done: true });
  });
});

/** A connection to a server that can be cut without either side noticing. */
async function deaf(server: Loopback): Promise<Omit<Loopback, "sockets"> & { cut(): void }> {
  const sockets: Socket[] = [];
  const relay = net.createServer((near) => {
    const far = net.connect(Number(server.url.port), "127.0.0.1");
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  closers.push(server.close);
  return {
    url: new URL(`https://127.0.0.1:${(relay.address() as AddressInfo).port}`),
    certificateAuthority: server.certificateAuthority,
    cut: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
