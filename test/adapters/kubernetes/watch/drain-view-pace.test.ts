import { expect, it, onTestFinished, vi } from "vitest";
import type { KubeClient } from "../../../../lambda/adapters/kubernetes/connection/kube-client.ts";
import { KubeConnection } from "../../../../lambda/adapters/kubernetes/connection/kube-connection.ts";
import { drainView } from "../../../../lambda/adapters/kubernetes/watch/drain-view.ts";
import { SharedBudgets } from "../../../../lambda/adapters/kubernetes/watch/shared-budgets.ts";
import { nodeName } from "../../../../lambda/domain/ids.ts";
import { Bell } from "../../../../lambda/ports/bell.ts";
import type { Clock } from "../../../../lambda/ports/clock.ts";
import { noon } from "../../../builders.ts";
import { watchBody } from "./watch-body.ts";

const never = new Promise<never>(() => undefined);

const added = (at: number): string => {
  const metadata = { name: `web-${at}`, namespace: "demo", uid: `${at}`, resourceVersion: `${at}` };
  const object = { metadata, spec: { nodeName: "node-a", containers: [] }, status: {} };
  return `${JSON.stringify({ type: "ADDED", object })}\n`;
};

const events = [11, 12, 13, 14, 15].map(added);

/** A client of a server that has no pods at first, then sends these events, and never answers about budgets. */
function client(): KubeClient {
  const endpoint = new URL("https://127.0.0.1:9");
  const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ path, signal }) {
      if (path.includes("poddisruptionbudgets")) return never;
      const body = path.includes("watch=") ? watchBody(events, new Bell(), signal) : empty();
      return { status: 200, headers: {}, body };
    },
    open: () => never,
    close: () => undefined,
  });
  return { ask: (_doing, call) => call(connection), once: (call) => call(connection) };
}

async function* empty(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify({ metadata: { resourceVersion: "5" }, items: [] }));
}

it("pods that change one after the other in a moment wake a drain once", async () => {
  const still: Clock = { now: () => noon, sleep: () => never };
  const tools = { client: client(), clock: still };
  const bell = new Bell();
  const ring = vi.spyOn(bell, "ring");
  const budgets = new SharedBudgets(tools);
  const view = await drainView(nodeName("node-a"), { ...tools, budgets, bell });
  onTestFinished(() => view.close());
  await vi.waitFor(() => expect(view.pods()).toHaveLength(5));
  expect(ring).toHaveBeenCalledTimes(1);
});
