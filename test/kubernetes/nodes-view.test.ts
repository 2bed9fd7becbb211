import { expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { nodesView } from "../../lambda/kubernetes/drain-view.ts";
import { type KubeClient, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";

const synced = JSON.stringify({
  type: "BOOKMARK",
  object: {
    metadata: { resourceVersion: "5", annotations: { "k8s.io/initial-events-end": "true" } },
  },
});

/** Tells that all nodes have been sent, and then nothing until the watch is given up. */
async function* quiet(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${synced}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

it("a view of nodes that cannot follow one of them leaves no watch of the others behind", async () => {
  const watches: AbortSignal[] = [];
  const endpoint = new URL("https://127.0.0.1:9");
  const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ path, signal }) {
      if (path.includes("refused")) return { status: 403, headers: {}, body: nothing() };
      watches.push(signal);
      return { status: 200, headers: {}, body: quiet(signal) };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
  const client: KubeClient = {
    ask: (_doing, call) => call(connection),
    once: (call) => call(connection),
  };
  const names = [nodeName("followed"), nodeName("refused")];
  const view = nodesView(names, { client, clock: systemClock, wakeup: new Wakeup() });
  await expect(view).rejects.toThrow("refused");
  expect(watches.map(({ aborted }) => aborted)).toEqual([true]);
});
