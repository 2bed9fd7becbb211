import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { type Duration, later, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import {
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { LargeNamespace } from "../../lambda/kubernetes/large-namespace.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { aPod, noon } from "../support/builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";

const node = nodeName("node-1");
const path = `/api/v1/namespaces/tenant/pods`;
const selector = `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`;

const podObject = (number: number, metadata: object) => ({
  metadata: { namespace: "tenant", name: `pod-${number}`, uid: `${number}`, ...metadata },
  spec: { nodeName: node },
});

interface Tenant {
  readonly pods: number;
  /** What the pods have besides their names. */
  readonly metadata?: object;
  /** How long each page takes. */
  readonly page?: Duration;
}

/** Looks at the pods of a namespace of a server. */
function looking({ pods, metadata = {}, page = seconds(0) }: Tenant) {
  const timeline = new VirtualTimeline(noon);
  let left = Array.from({ length: pods }, (_, index) => podObject(index + 1, metadata));
  const asked: URL[] = [];
  const transport: KubeTransport = {
    async request(request) {
      const url = new URL(request.path, "https://127.0.0.1");
      asked.push(url);
      timeline.pass(page);
      return { status: 200, headers: {}, body: answer(url) };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };
  async function* answer({ searchParams }: URL): AsyncGenerator<Uint8Array> {
    const from = Number(searchParams.get("continue") ?? "0");
    const to = from + Number(searchParams.get("limit"));
    const rest = to < left.length ? `${to}` : undefined;
    yield Buffer.from(
      JSON.stringify({
        metadata: { resourceVersion: "1", continue: rest },
        items: left.slice(from, to),
      }),
    );
  }
  const address = {
    endpoint: new URL("https://127.0.0.1:9"),
    certificateAuthority: undefined,
    userAgent: "test",
  };
  const connection = new KubeConnection(address, async () => "a token", transport);
  const client: KubeClient = {
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  };
  const wakeup = new Wakeup();
  const known = [aPod({ name: "known" })];
  const tools = { client, clock: virtualClock(timeline), wakeup };
  const large = new LargeNamespace(node, "tenant", tools, known);
  onTestFinished(() => large.close());
  return {
    large,
    wakeup,
    asked,
    timeline,
    go(count: number): void {
      left = left.slice(count);
    },
  };
}

const names = (large: LargeNamespace) => large.pods().map(({ name }) => name);

it("its pods that have not ended are listed, and until then those count that were known", async () => {
  const { large, asked, wakeup } = looking({ pods: 3 });
  expect(names(large)).toEqual(["known"]);
  expect(large.listed()).toBeLessThan(noon);
  await large.list();
  expect(names(large)).toEqual(["pod-1", "pod-2", "pod-3"]);
  expect(large.listed()).toBe(noon);
  await setImmediate();
  expect(wakeup.consume()).toBe(true);
  expect(asked.map((url) => [url.pathname, url.searchParams.get("fieldSelector")])).toEqual([
    [path, selector],
  ]);
});

it("a look ends after some 2,000 pods, and the next one finds those that come after", async () => {
  const { large, go } = looking({ pods: 5000 });
  await large.list();
  const seen = large.pods().length;
  expect(seen).toBeGreaterThan(2000);
  expect(seen).toBeLessThan(3000);
  go(4000);
  await large.list();
  expect(names(large)).toHaveLength(1000);
  expect(names(large)).toContain("pod-5000");
});

it("a look ends after 64 MB, and its pages have 16 MB at most", async () => {
  const labels = { "example.com/padding": "x".repeat(1_300_000) };
  const { large } = looking({ pods: 150, metadata: { labels } });
  await large.list();
  expect(large.pods().length).toBeGreaterThan(49);
  expect(large.pods().length).toBeLessThan(70);
  expect(JSON.stringify(large.pods()).length).toBeLessThan(100_000);
});

it("a look ends after 15 seconds, and the next begins after four times as long", async () => {
  const { large, asked, timeline } = looking({ pods: 400, page: seconds(4) });
  await large.list();
  expect(asked).toHaveLength(4);
  await setImmediate();
  const ended = timeline.now();
  timeline.pass(seconds(63));
  await setImmediate();
  expect(asked).toHaveLength(4);
  timeline.pass(seconds(2));
  await setImmediate();
  expect(asked.length).toBeGreaterThan(4);
  expect(timeline.now()).toBeGreaterThanOrEqual(later(ended, seconds(64)));
});

it("its pods keep what a drain judges them by, and no more than a usual pod has of it", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  const annotations = {
    "example.com/last-applied": "x".repeat(20_000),
    "eks-node-lifecycle/drain": "skip",
    ...Object.fromEntries(many(5000).map((key) => [`example.com/${key}`, key])),
  };
  const { large } = looking({ pods: 1, metadata: { annotations, finalizers: many(5000) } });
  await large.list();
  const [pod] = large.pods();
  expect(pod?.annotations).toMatchObject({ "eks-node-lifecycle/drain": "skip" });
  expect(JSON.stringify(pod).length).toBeLessThan(20_000);
  expect(pod?.finalizers).toHaveLength(8);
});
