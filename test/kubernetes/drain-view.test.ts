import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { drainView } from "../../lambda/kubernetes/drain-view.ts";
import {
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { SharedBudgets } from "../../lambda/kubernetes/shared-budgets.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noon } from "../support/builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";
import { watchBody } from "./watch-body.ts";

const node = nodeName("node-1");
const pod = { namespace: "demo", name: "web-1", uid: "uid-1", resourceVersion: "1" };
const podObject = { metadata: { ...pod, labels: { app: "web" } }, spec: { nodeName: node } };

/** A server with pods of a node, and two budgets: `own` selects the pods, `foreign` selects none, by so many requirements more. */
class Server {
  readonly #pods: number;
  readonly #more: number;
  #version = 5;
  readonly #lines: string[] = [];
  readonly #wakeup = new Wakeup();

  constructor(pods = 1, more = 0) {
    this.#pods = pods;
    this.#more = more;
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
    if (path.includes("watch=")) return watchBody([], new Wakeup(), signal);
    return listOf(
      Array.from({ length: this.#pods }, (_, at) => ({
        ...podObject,
        metadata: { ...podObject.metadata, name: `web-${at + 1}`, uid: `uid-${at + 1}` },
      })),
    );
  }

  #budgets(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const name of ["own", "foreign"] as const) this.#tell("ADDED", this.#budget(name));
    const annotations = { "k8s.io/initial-events-end": "true" };
    this.#tell("BOOKMARK", { metadata: { resourceVersion: `${this.#version}`, annotations } });
    return watchBody(this.#lines, this.#wakeup, signal);
  }

  #tell(type: string, object: object): void {
    this.#lines.push(`${JSON.stringify({ type, object })}\n`);
    this.#wakeup.notify();
  }

  #budget(name: string): object {
    this.#version += 1;
    const app = name === "own" ? "web" : "nobody";
    const metadata = { namespace: "demo", name, resourceVersion: `${this.#version}` };
    const matchExpressions = Array.from({ length: name === "own" ? 0 : this.#more }, (_, at) => ({
      key: `${at}`,
      operator: "DoesNotExist",
    }));
    return { metadata, spec: { selector: { matchLabels: { app }, matchExpressions } } };
  }
}

async function* listOf(items: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify({ metadata: { resourceVersion: "1" }, items }));
}

/** Waits until all that has arrived is read. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

it("a view shows the budgets of its pods from the start", async () => {
  const tools = { client: new Server().client(), clock: virtualClock(new VirtualTimeline(noon)) };
  const shared = { ...tools, budgets: new SharedBudgets(tools) };

  const view = await drainView(node, { ...shared, wakeup: new Wakeup() });

  onTestFinished(() => view.close());
  expect(view.budgets().map(({ name }) => name)).toEqual(["own", "foreign"]);
});

it.each([
  ["own", true],
  ["foreign", false],
] as const)(
  "the change of a budget of %s pods is read at once, and rings: %s",
  async (name, rings) => {
    const server = new Server();
    const tools = { client: server.client(), clock: virtualClock(new VirtualTimeline(noon)) };
    const wakeup = new Wakeup();
    const view = await drainView(node, { ...tools, budgets: new SharedBudgets(tools), wakeup });
    onTestFinished(() => view.close());
    await settled();
    wakeup.consume();
    const version = () => view.budgets().find((budget) => budget.name === name)?.resourceVersion;
    const before = Number(version());
    const budgets = view.budgets();
    // What is known of pods and budgets is kept by their lists.
    expect(view.budgets()).toBe(budgets);
    server.change(name);
    await settled();
    expect(Number(version())).toBeGreaterThan(before);
    expect(view.budgets()).not.toBe(budgets);
    expect(wakeup.consume()).toBe(rings);
  },
);

it.each([
  [100, ["own", "foreign"]],
  [500, []],
])(
  "thousands of requirements are compared with %i pods of their namespace, so these budgets are known: %j",
  async (pods, known) => {
    const tools = {
      client: new Server(pods, 4000).client(),
      clock: virtualClock(new VirtualTimeline(noon)),
    };
    const wakeup = new Wakeup();
    const view = await drainView(node, { ...tools, budgets: new SharedBudgets(tools), wakeup });
    onTestFinished(() => view.close());
    await settled();
    expect(view.budgets().map(({ name }) => name)).toEqual(known);
    expect([...view.unread().keys()]).toEqual(known.length > 0 ? [] : ["demo"]);
  },
);
