import { lostConnection } from "../../lambda/http/lost-connection.ts";
import { Semaphore } from "../../lambda/http/semaphore.ts";
import type { TransportResponse } from "../../lambda/http/transport.ts";
import type { KubeTransport } from "../../lambda/kubernetes/kube-connection.ts";
import { compressed } from "../../sandbox/kubernetes/api/compressed.ts";
import {
  type KubeRequest,
  type KubeResponse,
  kubeRequest,
} from "../../sandbox/kubernetes/api/exchange.ts";
import { type RequestInfo, requestInfo } from "../../sandbox/kubernetes/api/request-info.ts";
import type { Life } from "./life.ts";
import type { Surroundings } from "./surroundings.ts";

type Stream = Extract<KubeResponse, { readonly kind: "stream" }>;

/**
 * Yields the chunks of a watch as they come, and nothing more once the function's process has died.
 */
async function* streamOf(
  stream: Stream,
  signal: AbortSignal,
  life: Life,
): AsyncGenerator<Uint8Array> {
  const chunks: string[] = [];
  let state: "ended" | "open" = "open";
  let wake = (): void => undefined;
  const cancel = stream.open({
    write(chunk) {
      chunks.push(chunk);
      wake();
    },
    end() {
      state = "ended";
      wake();
    },
  });
  life.onEnd(cancel);
  signal.addEventListener("abort", () => wake());
  try {
    for (;;) {
      for (const next of chunks.splice(0)) yield Buffer.from(next);
      if (signal.aborted) throw signal.reason;
      if (isOver(state)) return;
      await life.bound(
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      );
    }
  } finally {
    cancel();
  }
}

const isOver = (state: "ended" | "open"): boolean => state === "ended";

/** The real API server allows as many streams on a connection. */
const mostStreams = 100;

/**
 * Connects the function's client to the sandbox's API server without a socket, so that time can
 * stand still.
 */
export function wireTo(surroundings: Surroundings, life: Life): KubeTransport {
  const way = { surroundings, life, streams: new Semaphore(() => mostStreams) };
  return {
    request: ({ method, path, headers, body = "", signal }) =>
      life.bound(
        life.over ? never() : requested(kubeRequest(method, path, { headers, body }), signal, way),
      ),
    open: () => Promise.reject(lostConnection(new Error("there is no socket to open"))),
    close: () => undefined,
  };
}

const never = () => new Promise<TransportResponse>(() => undefined);

interface Way {
  readonly surroundings: Surroundings;
  readonly life: Life;
  readonly streams: Semaphore;
}

/** Sends a request once there is a stream for it; a watch keeps its stream. */
async function requested(
  request: KubeRequest,
  signal: AbortSignal,
  way: Way,
): Promise<TransportResponse> {
  const { streams } = way;
  await streams.enter(signal);
  try {
    const answer = await sent(request, signal, way);
    return { ...answer, body: leaving(streams, answer.body) };
  } catch (cause) {
    streams.leave();
    throw cause;
  }
}

async function* leaving(
  streams: Semaphore,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    streams.leave();
  }
}

async function sent(
  request: KubeRequest,
  signal: AbortSignal,
  { surroundings, life }: Way,
): Promise<TransportResponse> {
  const { cluster } = surroundings;
  const info = requestInfo(request);
  const fault = surroundings.meet({
    to: "cluster",
    what: summary(info, request),
    body: request.body,
  });
  if (fault.kind === "death" && fault.moment === "before") life.end();
  if (life.over) return never();
  if (fault.kind === "cluster-fault") {
    const { path, verb } = info;
    cluster.failNext({ path, verb }, fault.fault, { when: fault.moment });
  }
  const response = await until(signal, cluster.handle(request));
  if (fault.kind === "death") life.end();
  return life.over ? never() : answered({ request, response }, signal, life);
}

/** A request's summary, such as `create pods/eviction web-1` or `list nodes by label`. */
const summary = (
  { verb, plural, subresource, name }: RequestInfo,
  { query }: KubeRequest,
): string =>
  [
    verb,
    subresource === "" ? plural : `${plural}/${subresource}`,
    query.has("labelSelector") ? "by label" : name,
  ]
    .filter((part) => part !== "")
    .join(" ");

/** Returns a promise's result, unless the caller stops waiting for it. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([promise, aborted]);
}

interface Exchange {
  readonly request: KubeRequest;
  readonly response: KubeResponse;
}

function answered(
  { request, response }: Exchange,
  signal: AbortSignal,
  life: Life,
): Promise<TransportResponse> {
  switch (response.kind) {
    case "hang":
      return until(signal, never());
    case "reset":
      return Promise.reject(
        lostConnection(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })),
      );
    case "answer": {
      const { headers, body } = compressed(request, response);
      const { status } = response;
      return Promise.resolve({ status, headers: { ...headers }, body: once(body) });
    }
    case "stream": {
      const { status, headers } = response;
      const body = streamOf(response, signal, life);
      return Promise.resolve({ status, headers: { ...headers }, body });
    }
  }
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
