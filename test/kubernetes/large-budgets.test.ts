import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Duration, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
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

const words = (bytes: number): readonly string[] => Array(Math.ceil(bytes / 11)).fill("somewords");

/** A server with the budgets of some namespaces, which it streams, or only lists. */
class Server {
  /** The paths and queries of all requests. */
  readonly asked: string[] = [];
  readonly #streams: boolean;
  #version = 5;
  #budgets: readonly { readonly metadata: { readonly namespace: string } }[] = [];
  #lines: string[] = [];
  #wakeup = new Wakeup();

  constructor(kind: "lists" | "streams") {
    this.#streams = kind === "streams";
  }

  add(namespace: string, name: string, bytes: number): void {
    const budget = this.#budgetOf(namespace, name, bytes);
    this.#budgets = [...this.#budgets, budget];
    this.#tell("ADDED", budget);
  }

  /** Writes a budget anew, as it was. */
  touch(namespace: string, name: string, bytes: number): void {
    this.#tell("MODIFIED", this.#budgetOf(namespace, name, bytes));
  }

  remove(namespace: string, name: string, bytes: number): void {
    this.#tell("DELETED", this.#budgetOf(namespace, name, bytes));
  }

  client(): KubeClient {
    const endpoint = new URL("https://127.0.0.1:9");
    const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
    const connection = new KubeConnection(address, async () => "a token", this.#transport);
    return { ask: (_doing, call) => call(connection), once: (call) => call(connection) };
  }

  readonly #transport: KubeTransport = {
    request: async ({ path, signal }) => {
      this.asked.push(decodeURIComponent(path));
      const url = new URL(path, "https://127.0.0.1");
      if (
        url.searchParams.has("watch") &&
        !this.#streams &&
        url.searchParams.has("sendInitialEvents")
      )
        return { status: 422, headers: {}, body: once({ kind: "Status", code: 422 }) };
      const body = url.searchParams.has("watch") ? this.#watch(url, signal) : this.#list(url);
      return { status: 200, headers: {}, body };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };

  #selected(url: URL) {
    const [, only] = /namespaces\/([^/]+)/.exec(url.pathname) ?? [];
    const others = url.searchParams.get("fieldSelector") ?? "";
    return this.#budgets.filter(
      ({ metadata: { namespace } }) =>
        (only ?? namespace) === namespace &&
        !others.split(",").includes(`metadata.namespace!=${namespace}`),
    );
  }

  #watch(url: URL, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#lines = [];
    this.#wakeup = new Wakeup();
    if (url.searchParams.has("sendInitialEvents")) {
      for (const budget of this.#selected(url)) this.#tell("ADDED", budget);
      const annotations = { "k8s.io/initial-events-end": "true" };
      this.#tell("BOOKMARK", { metadata: { resourceVersion: `${this.#version}`, annotations } });
    }
    return watchBody(this.#lines, this.#wakeup, signal);
  }

  #list(url: URL): AsyncGenerator<Uint8Array> {
    const all = this.#selected(url);
    const from = Number(url.searchParams.get("continue") ?? "0");
    const limit = Number(url.searchParams.get("limit"));
    const rest = from + limit < all.length ? `${from + limit}` : undefined;
    const metadata = { resourceVersion: `${this.#version}`, continue: rest };
    return once({ metadata, items: all.slice(from, from + limit) });
  }

  #tell(type: string, object: object): void {
    this.#lines.push(`${JSON.stringify({ type, object })}\n`);
    this.#wakeup.notify();
  }

  #budgetOf(namespace: string, name: string, bytes: number) {
    this.#version += 1;
    const metadata = { namespace, name, resourceVersion: `${this.#version}` };
    const values = words(bytes);
    const selector = { matchExpressions: [{ key: "app", operator: "In", values }] };
    return { metadata, spec: { selector } };
  }
}

async function* once(body: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(body));
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

const megabyte = 1_000_000;

function following(kind: "lists" | "streams") {
  const server = new Server(kind);
  const timeline = new VirtualTimeline(noon);
  const budgets = new SharedBudgets({ client: server.client(), clock: virtualClock(timeline) });
  const follow = async (namespace: string) => {
    const followed = await budgets.follow(namespace, new Wakeup());
    onTestFinished(() => followed.close());
    return () => followed.items().map(({ name }) => name);
  };
  const pass = async (time: Duration) => {
    timeline.pass(time);
    await settled();
  };
  return { server, follow, pass };
}

it.each(["lists", "streams"] as const)(
  "the budgets of a namespace are followed up to two megabytes, from a server that %s",
  async (kind) => {
    const { server, follow } = following(kind);
    for (const name of ["a", "b"]) server.add("large", name, 0.9 * megabyte);
    for (const name of ["a", "b", "c"]) server.add("larger", name, 0.9 * megabyte);
    expect((await follow("large"))()).toEqual(["a", "b"]);
    await expect(follow("larger")).rejects.toThrow(
      /namespace larger: they are too many or too large/,
    );
  },
);

it.each(["lists", "streams"] as const)(
  "the budgets of a namespace are followed up to a thousand, however small they are, from a server that %s",
  async (kind) => {
    const { server, follow } = following(kind);
    for (let count = 1; count <= 1000; count += 1) server.add("many", `budget-${count}`, 1);
    for (let count = 1; count <= 1001; count += 1) server.add("more", `budget-${count}`, 1);
    expect((await follow("many"))()).toHaveLength(1000);
    await expect(follow("more")).rejects.toThrow(/namespace more: they are too many or too large/);
  },
);

it("the budgets of a namespace that become too many while they are followed are known no longer", async () => {
  const { server, follow, pass } = following("streams");
  for (const name of ["a", "b"]) server.add("tenant", name, 0.9 * megabyte);
  const names = await follow("tenant");
  server.remove("tenant", "b", 0.9 * megabyte);
  server.add("tenant", "c", 0.9 * megabyte);
  await pass(seconds(1));
  expect(names()).toEqual(["a", "c"]);
  await pass(seconds(60));
  server.add("tenant", "d", 0.9 * megabyte);
  await pass(seconds(1));
  expect(names).toThrow(/too many or too large/);
});

it("a budget that is written without end is known no longer, and one that is written now and then is", async () => {
  const { server, follow, pass } = following("streams");
  for (const namespace of ["calm", "busy"]) server.add(namespace, "a", 0.9 * megabyte);
  const [calm, busy] = [await follow("calm"), await follow("busy")];
  for (let round = 1; round <= 10; round += 1) {
    await pass(seconds(10));
    server.touch("busy", "a", 0.9 * megabyte);
    await settled();
  }
  expect(busy()).toEqual(["a"]);
  for (let round = 1; round <= 5; round += 1) server.touch("busy", "a", 0.9 * megabyte);
  await settled();
  expect(busy).toThrow(/too many or too large/);
  expect(calm()).toEqual(["a"]);
});

describe.each(["lists", "streams"] as const)(
  "a process that follows all budgets of a server that %s",
  (kind) => {
    /** More namespaces than a process follows one by one. */
    async function many(scene: ReturnType<typeof following>) {
      for (let team = 1; team <= 22; team += 1) scene.server.add(`team-${team}`, "web", 100);
      for (let team = 1; team <= 20; team += 1) await scene.follow(`team-${team}`);
    }

    it("leaves out a namespace that has too many, and knows those of all others", async () => {
      const scene = following(kind);
      for (let count = 1; count <= 30; count += 1)
        scene.server.add("a-tenant", `budget-${count}`, 0.9 * megabyte);
      await many(scene);
      const [other, tenants] = [await scene.follow("team-21"), await scene.follow("a-tenant")];
      expect(other()).toEqual(["web"]);
      expect(tenants).toThrow(/budgets of a-tenant: they are too many or too large/);
      expect((await scene.follow("team-22"))()).toEqual(["web"]);
      const narrowed = scene.server.asked.filter((path) =>
        path.includes("fieldSelector=metadata.namespace!=a-tenant"),
      );
      expect(narrowed.length).toBeGreaterThan(0);
    });

    it("follows none any more where more than five namespaces have too many", async () => {
      const scene = following(kind);
      for (let tenant = 1; tenant <= 6; tenant += 1)
        for (const name of ["a", "b", "c"])
          scene.server.add(`a-tenant-${tenant}`, name, 0.9 * megabyte);
      await many(scene);
      await expect(scene.follow("team-21")).rejects.toThrow(/too many or too large/);
    });
  },
);
