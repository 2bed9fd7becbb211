import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../lambda/base/clock.port.ts";
import { instant, later, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import type { Collection } from "../../lambda/kubernetes/collection.ts";
import { Informer } from "../../lambda/kubernetes/informer.ts";
import {
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { watchBody } from "./watch-body.ts";

/** The watches of a server, one after the other: each sends an event as soon as the test adds it. */
class SlowWatch {
  /** From which version each watch was asked to go on. */
  readonly from: string[] = [];
  readonly #lines: string[] = [];
  readonly #wakeup = new Wakeup();
  #ending = new AbortController();

  tell(type: string, name: string, resourceVersion: number): void {
    const metadata = { name, resourceVersion: String(resourceVersion) };
    this.#lines.push(`${JSON.stringify({ type, object: { metadata } })}\n`);
    this.#wakeup.notify();
  }

  /** The server no longer has the changes since the watch's version. */
  expire(): void {
    this.#lines.push(`${JSON.stringify({ type: "ERROR", object: { code: 410 } })}\n`);
    this.#wakeup.notify();
  }

  end(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
  }

  readonly transport: KubeTransport = {
    request: async ({ path, signal }) => {
      this.from.push(new URLSearchParams(path.split("?")[1]).get("resourceVersion") ?? "");
      const until = AbortSignal.any([signal, this.#ending.signal]);
      return { status: 200, headers: {}, body: watchBody(this.#lines, this.#wakeup, until) };
    },
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
  const following = { client: clientOf(watch), clock: systemClock, wakeup: new Wakeup() };
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
  const following = { client: clientOf(watch), clock: systemClock, wakeup: new Wakeup() };
  const informer = new Informer(namesListed(["5"], ["9", "web"]), following);
  onTestFinished(() => informer.close());
  await informer.start();

  await informer.list();
  watch.tell("DELETED", "web", 8);
  watch.tell("ADDED", "late", 10);

  await expect.poll(() => informer.items()).toContain("late");
  expect(informer.items()).toEqual(["web", "late"]);
});

/** An informer that follows this watch, with these lists. */
async function following(
  watch: SlowWatch,
  collection: Collection<string>,
  clock: Clock = systemClock,
): Promise<Informer<string>> {
  const informer = new Informer(collection, {
    client: clientOf(watch),
    clock,
    wakeup: new Wakeup(),
  });
  onTestFinished(() => informer.close());
  await informer.start();
  return informer;
}

describe("a watch that the server ends goes on", () => {
  it.each([
    ["from the list that was newer than it", "9", "9"],
    ["from its own version where the list was older", "6", "7"],
  ])("%s", async (_, listed, expected) => {
    const watch = new SlowWatch();
    const informer = await following(watch, namesListed(["5"], [listed]));
    watch.tell("ADDED", "web", 7);
    await expect.poll(() => informer.items()).toEqual(["web"]);

    await informer.list();
    watch.end();

    await expect.poll(() => watch.from).toEqual(["5", expected]);
  });

  it("from a list whose version is lower, where its own has expired", async () => {
    const watch = new SlowWatch();
    const informer = await following(watch, namesListed(["5"], ["3"]));
    watch.tell("ADDED", "web", 20);
    await expect.poll(() => informer.items()).toEqual(["web"]);

    watch.expire();

    await expect.poll(() => watch.from).toEqual(["5", "3"]);
  });
});

it("a list counts from when it was asked for, not from its answer", async () => {
  let now = instant(1000);
  const clock: Clock = { ...systemClock, now: () => now };
  const slow: Collection<string> = {
    ...namesListed(),
    page: async () => {
      now = later(now, seconds(30));
      return { items: [], resourceVersion: "5", next: "" };
    },
  };
  const informer = await following(new SlowWatch(), slow, clock);
  expect(informer.listed()).toBe(instant(1000));
});

it("six owners who get too much while they are followed are left out, and the others go on being followed", async () => {
  const watch = new SlowWatch();
  const owners = ["a", "b", "c", "d", "e", "f", "g"];
  const lists = Array.from({ length: 9 }, (_, at) => [`${10 * at}`, "web"] as const);
  const informer = await following(watch, {
    ...namesListed(...lists),
    portion: { of: ([owner = ""]) => owner, size: () => 1, most: 1, without: () => "others" },
  });
  for (const [at, owner] of owners.entries()) {
    watch.tell("ADDED", `${owner}-1`, 10 * at + 1);
    watch.tell("ADDED", `${owner}-2`, 10 * at + 2);
    await expect.poll(() => [...informer.leftOut()]).toContain(owner);
  }
  // A selector cannot name all of very many owners.
  watch.tell("ADDED", "a-3", 999);
  watch.tell("ADDED", "late", 1000);
  await expect.poll(() => informer.items()).toContain("late");
  expect(informer.items()).toEqual(["web", "late"]);
});
