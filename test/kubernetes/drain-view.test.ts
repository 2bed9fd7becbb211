import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { Bell } from "../../lambda/base/bell.ts";
import { nodeName } from "../../lambda/base/ids.ts";
import { milliseconds, minutes, never } from "../../lambda/base/time.ts";
import { drainView } from "../../lambda/kubernetes/drain-view.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { KubeConnection, type KubeTransport } from "../../lambda/kubernetes/kube-connection.ts";
import { SharedBudgets } from "../../lambda/kubernetes/shared-budgets.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { aPod, noon } from "../builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";
import { watchBody } from "./watch-body.ts";

const node = nodeName("node-1");
const pod = { namespace: "demo", name: "web-1", uid: "uid-1", resourceVersion: "1" };
const podObject = { metadata: { ...pod, labels: { app: "web" } }, spec: { nodeName: node } };

/** A server with a pod of a node, and two budgets: `own` selects the pod, `foreign` selects none. */
class Server {
  #version = 5;
  readonly #lines: string[] = [];
  readonly #bell = new Bell();
  readonly #sends: "at once" | "bit by bit";

  constructor(sends: "at once" | "bit by bit" = "at once") {
    this.#sends = sends;
  }

  change(name: "own" | "foreign"): void {
    this.#tell("MODIFIED", this.#budget(name));
  }

  /** A client that sends every call to this server, and never repeats one. */
  client(): KubeClient {
    const endpoint = new URL("https://127.0.0.1:9");
    const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
    const connection = new KubeConnection(address, async () => "a token", this.#transport);
    return { ask: (_doing, call) => call(connection), once: (call) => call(connection) };
  }

  readonly #transport: KubeTransport = {
    request: async ({ path, signal }) => ({
      status: 200,
      headers: {},
      body: this.#body(path, signal),
    }),
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };

  #body(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (!path.startsWith("/api/v1/pods")) return this.#budgets(signal);
    if (path.includes("watch=")) return watchBody([], new Bell(), signal);
    return listOf([podObject]);
  }

  #budgets(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const name of ["own", "foreign"] as const) this.#tell("ADDED", this.#budget(name));
    if (this.#sends === "at once") this.endList();
    return watchBody(this.#lines, this.#bell, signal);
  }

  /** Tells that these were all the budgets. */
  endList(): void {
    const annotations = { "k8s.io/initial-events-end": "true" };
    this.#tell("BOOKMARK", { metadata: { resourceVersion: `${this.#version}`, annotations } });
  }

  #tell(type: string, object: object): void {
    this.#lines.push(`${JSON.stringify({ type, object })}\n`);
    this.#bell.ring();
  }

  #budget(name: string): object {
    this.#version += 1;
    const app = name === "own" ? "web" : "nobody";
    const metadata = { namespace: "demo", name, resourceVersion: `${this.#version}` };
    return { metadata, spec: { selector: { matchLabels: { app } } } };
  }
}

async function* listOf(items: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify({ metadata: { resourceVersion: "1" }, items }));
}

/** A view of the node, which nothing has moved on for a minute. */
async function quietView() {
  const server = new Server();
  const timeline = new VirtualTimeline(noon);
  const tools = { client: server.client(), clock: virtualClock(timeline) };
  const budgets = new SharedBudgets(tools);
  const bell = new Bell();
  const view = await drainView(node, { ...tools, budgets, bell });
  onTestFinished(() => view.close());
  await settled();
  timeline.pass(minutes(1));
  await settled();
  bell.heard();
  const version = () =>
    Number(view.budgets().find(({ name }) => name === "foreign")?.resourceVersion);
  /** Changes the budget that concerns nobody, and returns whether the change was read without any delay. */
  const isRead = async (): Promise<boolean> => {
    const before = version();
    server.change("foreign");
    await settled();
    return version() > before;
  };
  return { server, timeline, budgets, bell, view, isRead, version, tools };
}

/** Waits until all that has arrived is read. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

it("a change that concerns nobody is read at once, and those of the next fifth of a second together", async () => {
  const { timeline, bell, isRead, version } = await quietView();
  expect(await isRead()).toBe(true);
  expect(await isRead()).toBe(false);
  timeline.pass(milliseconds(199));
  expect(await isRead()).toBe(false);
  const before = version();
  timeline.pass(milliseconds(1));
  await settled();
  expect({ read: version() - before, rung: bell.heard() }).toEqual({ read: 2, rung: false });
});

it("a change of a budget that selects a pod rings after a fifth of a second at most, and then all is read as it comes", async () => {
  const { server, timeline, bell, isRead } = await quietView();
  await isRead();
  server.change("own");
  timeline.pass(milliseconds(200));
  await settled();
  expect(bell.heard()).toBe(true);
  expect([await isRead(), await isRead()]).toEqual([true, true]);
});

it("an eviction ends the rest, and everything is read as it comes until it is over", async () => {
  const { timeline, budgets, isRead } = await quietView();
  await isRead();
  expect(await isRead()).toBe(false);
  const { promise, resolve } = Promise.withResolvers<{ readonly kind: "gone" }>();
  const evicted = budgets.evicting(aPod({ namespace: "elsewhere" }), () => promise);
  timeline.pass(minutes(1));
  await settled();
  expect([await isRead(), await isRead()]).toEqual([true, true]);
  resolve({ kind: "gone" });
  expect(await evicted).toEqual({ kind: "gone" });
});

it("another drain that begins ends the rest", async () => {
  const { server, tools, budgets, isRead, view } = await quietView();
  await isRead();
  server.change("own");
  const other = await drainView(node, { ...tools, budgets, bell: new Bell() });
  onTestFinished(() => other.close());
  await settled();
  expect(other.budgets()).toEqual(view.budgets());
  expect([await isRead(), await isRead()]).toEqual([true, true]);
});

it("a view that is closed while its reader rests leaves nothing that is still to come", async () => {
  const { timeline, view, isRead } = await quietView();
  await isRead();
  const schedule = vi.spyOn(timeline, "schedule");
  view.close();
  await settled();
  expect(timeline.step(never)).toBe(false);
  expect(schedule).not.toHaveBeenCalled();
});

it("budgets that a drain waits for are read as they come, however long they are on their way", async () => {
  const server = new Server("bit by bit");
  const timeline = new VirtualTimeline(noon);
  const tools = { client: server.client(), clock: virtualClock(timeline) };
  const budgets = new SharedBudgets(tools);
  const begun = drainView(node, { ...tools, budgets, bell: new Bell() });
  await settled();
  timeline.pass(minutes(1));
  server.change("foreign");
  await settled();
  server.endList();
  const read = begun.then((view) => onTestFinished(() => view.close())).then(() => "read");
  expect(await Promise.race([read, settled().then(() => "not read")])).toBe("read");
});
