import { expect, it } from "vitest";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { type KubeClient, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noon } from "../support/builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";

const portion = 16_384;

/** A server whose every object has 1.5 MB, the forms in which it was asked for these, and how much of them was read. */
function serving() {
  const forms: (string | undefined)[] = [];
  let read = 0;
  const body = async function* () {
    for (let sent = 0; sent < 1_500_000; sent += portion) {
      read += portion;
      yield Buffer.alloc(portion, " ");
    }
    yield Buffer.from("{}");
  };
  const address = {
    endpoint: new URL("https://127.0.0.1:9"),
    certificateAuthority: undefined,
    userAgent: "test",
  };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ headers: { accept } }) {
      forms.push(accept);
      return { status: 200, headers: {}, body: body() };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
  const client: KubeClient = {
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  };
  const cluster = new KubeCluster(client, virtualClock(new VirtualTimeline(noon)));
  return { cluster, forms, read: () => read };
}

it("a DaemonSet of others is looked for by its metadata, of which little is read, because 50 of them come before the first eviction", async () => {
  const { cluster, forms, read } = serving();

  expect(await cluster.daemonSet("tenant", "huge")).toBe("there");

  expect(forms).toEqual([expect.stringContaining("as=PartialObjectMetadata;")]);
  expect(read()).toBeLessThanOrEqual(6 * portion);
});

it("a claim of a megabyte has no volume, and little of it is read, because each drain reads twenty at once", async () => {
  const { cluster, read } = serving();

  expect(await cluster.volumeOf("tenant", "huge")).toBe("");

  expect(read()).toBeLessThanOrEqual(18 * portion);
});
