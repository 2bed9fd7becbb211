import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, vi } from "vitest";
import { milliseconds } from "../../lambda/base/time.ts";
import { lostConnection } from "../../lambda/http/lost-connection.ts";
import { type KubeAddress, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { configurationOf } from "../support/configuration-of.ts";
import {
  type Loopback,
  type Speech,
  serve,
  serveBytes,
  serveSilence,
} from "../support/loopback.ts";

const closers: (() => unknown)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) close();
});

function read(address: Partial<KubeAddress> & Pick<KubeAddress, "endpoint">, limit = 30_000) {
  const connection = new KubeConnection({ userAgent: "test", ...address }, async () => "token");
  closers.push(() => connection.close());
  const bounds = { limit: milliseconds(limit) };
  return new CoreV1Api(configurationOf(connection, bounds)).readNode({ name: "a" });
}

async function started(speech: Speech): Promise<Loopback> {
  const server = await serve(speech, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  closers.push(server.close);
  return server;
}

describe.each<Speech>(["h2", "https"])("the certificate of a server that speaks %s", (speech) => {
  it("is accepted if it is by the authority that DescribeCluster gives in base64", async () => {
    const { url: endpoint, certificateAuthority = "" } = await started(speech);
    const base64 = Buffer.from(certificateAuthority).toString("base64");
    await expect(read({ endpoint, certificateAuthority: base64 })).resolves.toBeDefined();
  });

  it("is not accepted if it is by another authority", async () => {
    const { url: endpoint } = await started(speech);
    const { cert: certificateAuthority } = await generate([], { keyType: "ec" });
    await expect(read({ endpoint, certificateAuthority })).rejects.toMatchObject({
      reason: "tls",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
  });

  it("is not accepted without an authority", async () => {
    const { url: endpoint } = await started(speech);
    await expect(read({ endpoint })).rejects.toMatchObject({ reason: "tls" });
  });

  it("is not accepted if the authority is not a certificate", async () => {
    const { url: endpoint } = await started(speech);
    await expect(
      read({ endpoint, certificateAuthority: "bm90IGEgY2VydGlmaWNhdGU=" }),
    ).rejects.toMatchObject({ reason: "tls" });
  });

  it("is not accepted for another name", async () => {
    const { url, certificateAuthority } = await started(speech);
    const endpoint = new URL(`https://localhost:${url.port}`);
    await expect(read({ endpoint, certificateAuthority })).rejects.toMatchObject({
      reason: "tls",
      cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
      message: expect.stringContaining("GET /api/v1/nodes/a: Hostname/IP does not match"),
    });
  });
});

describe("a server that is not an API server", () => {
  it("is a TLS failure when it speaks without encryption", async () => {
    const { url } = await started("http");
    const endpoint = new URL(`https://127.0.0.1:${url.port}`);
    await expect(read({ endpoint })).rejects.toMatchObject({ reason: "tls" });
  });

  it("is a reset when it hangs up in the handshake, after a few tries", async () => {
    const server = await serveBytes((socket) => socket.destroy());
    closers.push(server.close);
    await expect(read({ endpoint: server.url })).rejects.toMatchObject({
      reason: "reset",
      unsent: true,
    });
    expect(server.sockets).toHaveLength(4);
  });

  it("is a timeout when the call has less time than the handshake takes", async () => {
    const server = await serveBytes(() => undefined);
    closers.push(server.close);
    await expect(read({ endpoint: server.url }, 100)).rejects.toMatchObject({ reason: "timeout" });
  });

  it("is a timeout after ten seconds without a handshake", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const server = await serveBytes(() => undefined);
    closers.push(server.close);
    const call = read({ endpoint: server.url });
    call.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(call).rejects.toMatchObject({
      reason: "timeout",
      message: "GET /api/v1/nodes/a: the server did not answer in time",
    });
  });
});

describe("a server that agrees to HTTP/2", () => {
  it("is a timeout when it sends no settings within ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const server = await serveSilence();
    closers.push(server.close);
    const { url: endpoint, certificateAuthority } = server;
    const call = read({ endpoint, certificateAuthority });
    call.catch(() => undefined);
    await sleep(100); // the handshake
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(call).rejects.toMatchObject({ reason: "timeout" });
  });
});

describe("a server that knows only HTTP/1.1", () => {
  it("gets its requests over the connection on which it said so", async () => {
    const server = await started("https");
    const { url: endpoint, certificateAuthority } = server;
    await read({ endpoint, certificateAuthority });
    expect(server.sockets).toHaveLength(1);
  });

  it("must show a certificate by the same authority on every further connection", async () => {
    const agents: unknown[] = [];
    const spy = vi.spyOn(https.Agent.prototype, "createConnection");
    const server = await serve("https", (_request, response) => {
      setTimeout(
        () => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
        50,
      );
    });
    closers.push(server.close, () => spy.mockRestore());
    const { url: endpoint, certificateAuthority } = server;
    const address = { endpoint, certificateAuthority, userAgent: "test" };
    const connection = new KubeConnection(address, async () => "token");
    closers.push(() => connection.close());
    const api = new CoreV1Api(configurationOf(connection));

    await Promise.all([1, 2, 3].map(() => api.readNode({ name: "a" })));

    agents.push(...spy.mock.calls.map(([options]) => options));
    expect(server.sockets).toHaveLength(3);
    expect(agents).toHaveLength(2);
    expect(agents).toEqual([
      expect.objectContaining({ ca: certificateAuthority }),
      expect.objectContaining({ ca: certificateAuthority }),
    ]);
  });
});

describe("what the network says", () => {
  it.each([
    ["ENOTFOUND", "dns"],
    ["EAI_AGAIN", "dns"],
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "refused"],
    ["ETIMEDOUT", "timeout"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["ERR_HTTP2_STREAM_ERROR", "reset"],
  ])("reads %s as %s", (code, reason) => {
    const cause = Object.assign(new Error("network"), { code });
    expect(lostConnection(cause)).toMatchObject({ reason, cause, unsent: false });
  });
});
