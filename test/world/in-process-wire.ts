import type { KubeWire } from "../../lambda/adapters/kube-connection.ts";
import { lostConnection } from "../../lambda/adapters/lost-connection.ts";
import type { WireAnswer, WireRequest } from "../../lambda/adapters/wire.ts";
import { type KubeResponse, kubeRequest } from "../../sandbox/cluster/api/exchange.ts";
import type { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";

/** The way from the function's client to the sandbox's API server without a socket, so that time may stand still. */
export const wireTo = (cluster: SandboxCluster): KubeWire => ({
  async request(request: WireRequest): Promise<WireAnswer> {
    const { method, path, headers, body = "" } = request;
    return answered(
      await cluster.handle(kubeRequest(method, path, { headers, body })),
      request.signal,
    );
  },
  open: () => Promise.reject(lostConnection(new Error("there is no socket to open"))),
  close: () => undefined,
});

function answered(response: KubeResponse, signal: AbortSignal): Promise<WireAnswer> {
  switch (response.kind) {
    case "hang":
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    case "reset":
      return Promise.reject(
        lostConnection(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })),
      );
    case "answer":
      return Promise.resolve({ ...plain(response), body: once(response.body) });
    case "stream":
      return Promise.resolve({ ...plain(response), body: lines(response, signal) });
  }
}

const plain = ({ status, headers }: Extract<KubeResponse, { status: number }>) => ({
  status,
  headers: { ...headers },
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

type Stream = Extract<KubeResponse, { readonly kind: "stream" }>;

async function* lines(stream: Stream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks: string[] = [];
  let state: "open" | "ended" = "open";
  let wake = (): void => undefined;
  const told = (): void => wake();
  const cancel = stream.open({
    write(chunk) {
      chunks.push(chunk);
      told();
    },
    end() {
      state = "ended";
      told();
    },
  });
  signal.addEventListener("abort", told);
  try {
    for (;;) {
      for (let next = chunks.shift(); next !== undefined; next = chunks.shift())
        yield Buffer.from(next);
      if (signal.aborted) throw signal.reason;
      if (over(state)) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    cancel();
  }
}

const over = (state: "open" | "ended"): boolean => state === "ended";
