import { expect, it, onTestFinished } from "vitest";
import { Bell } from "../../lambda/base/bell.ts";
import type { Collection } from "../../lambda/kubernetes/collection.ts";
import { Informer } from "../../lambda/kubernetes/informer.ts";
import {
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { watchBody } from "./watch-body.ts";

/** The only watch of a server: it sends each event as soon as the test adds it. */
class SlowWatch {
  readonly #lines: string[] = [];
  readonly #bell = new Bell();

  tell(type: string, name: string, resourceVersion: number): void {
    const metadata = { name, resourceVersion: String(resourceVersion) };
    this.#lines.push(`${JSON.stringify({ type, object: { metadata } })}\n`);
    this.#bell.ring();
  }

  readonly transport: KubeTransport = {
    request: async ({ signal }) => ({
      status: 200,
      headers: {},
      body: watchBody(this.#lines, this.#bell, signal),
    }),
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };
}

/** A client that sends every call to this watch, and never repeats one. */
function clientOf({ transport }: SlowWatch): KubeClient {
  const address = {
    endpoint: new URL("https://127.0.0.1:9"),
    certificateAuthority: undefined,
    userAgent: "test",
  };
  const connection = new KubeConnection(address, async () => "a token", transport);
  return { ask: (_doing, call) => call(connection), once: (call) => call(connection) };
}

/** A collection of names; each list call gives the next of these lists. */
const namesListed = (...lists: readonly (readonly [string, ...string[]])[]): Collection<string> => {
  const left = [...lists];
  return {
    title: "names",
    path: "/api/v1/names",
    query: {},
    start: "listed",
    page: async () => {
      const [resourceVersion = "", ...items] = left.shift() ?? [];
      return { items, resourceVersion, next: "" };
    },
    read: (object) => (object as { metadata: { name: string } }).metadata.name,
    uid: (name) => name,
  };
};

it("an event older than the latest list does not bring back what is gone", async () => {
  const watch = new SlowWatch();
  const following = { client: clientOf(watch), clock: systemClock, bell: new Bell() };
  const informer = new Informer(namesListed(["5", "web"], ["9"]), following);
  onTestFinished(() => informer.close());
  await informer.start();
  expect(informer.items()).toEqual(["web"]);

  await informer.list();
  watch.tell("MODIFIED", "web", 7);
  watch.tell("ADDED", "late", 10);

  await expect.poll(() => informer.items()).toContain("late");
  expect(informer.items()).toEqual(["late"]);
});

it("an event older than the latest list does not remove what is there", async () => {
  const watch = new SlowWatch();
  const following = { client: clientOf(watch), clock: systemClock, bell: new Bell() };
  const informer = new Informer(namesListed(["5"], ["9", "web"]), following);
  onTestFinished(() => informer.close());
  await informer.start();

  await informer.list();
  watch.tell("DELETED", "web", 8);
  watch.tell("ADDED", "late", 10);

  await expect.poll(() => informer.items()).toContain("late");
  expect(informer.items()).toEqual(["web", "late"]);
});
