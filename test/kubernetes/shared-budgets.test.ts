import { expect, it, onTestFinished } from "vitest";
import { type Duration, later, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import {
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { SharedAccounts, SharedBudgets } from "../../lambda/kubernetes/shared-budgets.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { aBudget, aPod, noon } from "../support/builders.ts";
import { watchBody } from "./watch-body.ts";

const title = "demo/web";
const pod = aPod();

/** A server with one budget, which answers lists, and watches that do not begin with a list. */
class Server {
  #version = 5;
  #allowed = 1;
  readonly #lines: string[] = [];
  readonly #wakeup = new Wakeup();

  allow(disruptionsAllowed: number): void {
    this.#version += 1;
    this.#allowed = disruptionsAllowed;
    this.#lines.push(`${JSON.stringify({ type: "MODIFIED", object: this.#budget() })}\n`);
    this.#wakeup.notify();
  }

  /** A client that sends every call to this server, and never repeats one. */
  client(): KubeClient {
    const address = {
      endpoint: new URL("https://127.0.0.1:9"),
      certificateAuthority: undefined,
      userAgent: "test",
    };
    const connection = new KubeConnection(address, async () => "a token", this.#transport);
    return { ask: (_doing, call) => call(connection), once: (call) => call(connection) };
  }

  readonly #transport: KubeTransport = {
    request: async ({ path, signal }) =>
      path.includes("sendInitialEvents")
        ? { status: 422, headers: {}, body: this.#answer({ kind: "Status", code: 422 }) }
        : { status: 200, headers: {}, body: this.#body(path, signal) },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };

  #body(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (path.includes("watch=")) return watchBody(this.#lines, this.#wakeup, signal);
    const metadata = { resourceVersion: String(this.#version) };
    return this.#answer({ metadata, items: [this.#budget()] });
  }

  async *#answer(body: object): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(body));
  }

  #budget(): object {
    const metadata = {
      namespace: pod.namespace,
      name: "web",
      resourceVersion: String(this.#version),
    };
    const spec = { selector: { matchLabels: pod.labels }, maxUnavailable: 1 };
    return { metadata, spec, status: { disruptionsAllowed: this.#allowed } };
  }
}

const refused = async () =>
  ({ kind: "blocked", message: "disrupted", retryAfter: "unsaid" }) as const;

function following() {
  const server = new Server();
  const clock = { ...systemClock, now: () => noon, sleep: systemClock.sleep.bind(systemClock) };
  const budgets = new SharedBudgets({ client: server.client(), clock });
  const follow = async () => {
    const followed = await budgets.follow(pod.namespace, new Wakeup());
    onTestFinished(() => followed.close());
    return followed;
  };
  return { server, budgets, follow, use: () => budgets.accounts().get(title)?.use };
}

it("a budget that refused stays alone for two seconds: that the others hear of it is no change of it", async () => {
  const { budgets, follow, use } = following();
  await follow();
  await budgets.evicting(pod, refused);
  expect(use()).toEqual({ kind: "closed", until: later(noon, seconds(2)) });
});

it("a late refusal does not bring back what the budget was when its eviction was requested", async () => {
  const { server, budgets, follow, use } = following();
  const { items } = await follow();
  const allowed = () => items()[0]?.disruptionsAllowed;
  await budgets.evicting(pod, refused);
  server.allow(0);
  await expect.poll(allowed).toBe(0);
  await budgets.evicting(pod, async () => {
    server.allow(3);
    await expect.poll(allowed).toBe(3);
    return { kind: "denied", message: "by a webhook" };
  });
  expect(use()?.kind).toBe("opening");
});

it("a budget that allows disruptions again while nobody follows it may be used once it is followed anew", async () => {
  const { server, budgets, follow, use } = following();
  const { items, close } = await follow();
  await budgets.evicting(pod, refused);
  server.allow(0);
  await expect.poll(() => items()[0]?.disruptionsAllowed).toBe(0);
  close();
  server.allow(1);
  await follow();
  expect(use()).toEqual({ kind: "open" });
});

it("the account of a budget that nobody follows any more is forgotten once it is over", async () => {
  const { accounts, evict, pass } = keeping();
  await evict("gone");
  expect([...accounts.now().keys()]).toEqual(["demo/gone"]);
  pass(seconds(5));
  await evict("there");
  expect([...accounts.now().keys()]).toEqual(["demo/there"]);
});

function keeping() {
  let now = noon;
  const accounts = new SharedAccounts({ now: () => now });
  const evict = (name: string) =>
    accounts.evicting(pod, aBudget({ name }), async () => ({ kind: "accepted" }));
  const pass = (by: Duration): void => {
    now = later(now, by);
  };
  return { accounts, evict, pass };
}
