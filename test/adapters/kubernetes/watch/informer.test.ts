import { EKSClient } from "@aws-sdk/client-eks";
import { HttpResponse } from "@smithy/core/transport";
import { expect, it, onTestFinished, vi } from "vitest";
import { EksConnection } from "../../../../lambda/adapters/eks/eks-connection.ts";
import { EksToken } from "../../../../lambda/adapters/eks/eks-token.ts";
import {
  KubeConnection,
  type KubeTransport,
} from "../../../../lambda/adapters/kubernetes/connection/kube-connection.ts";
import type { Collection } from "../../../../lambda/adapters/kubernetes/watch/collection.ts";
import { Informer } from "../../../../lambda/adapters/kubernetes/watch/informer.ts";
import { systemClock } from "../../../../lambda/adapters/local/system-clock.ts";
import { Bell } from "../../../../lambda/ports/bell.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
const description = JSON.stringify({ cluster: { endpoint: "https://127.0.0.1:9" } });

/** The one watch of a server that tells what it is given, whenever it is given it. */
class SlowWatch {
  readonly #lines: string[] = [];
  readonly #bell = new Bell();

  tell(type: string, name: string, resourceVersion: number): void {
    const metadata = { name, resourceVersion: String(resourceVersion) };
    this.#lines.push(`${JSON.stringify({ type, object: { metadata } })}\n`);
    this.#bell.ring();
  }

  readonly transport: KubeTransport = {
    request: async ({ signal }) => ({ status: 200, headers: {}, body: this.#body(signal) }),
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  };

  async *#body(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    while (!signal.aborted) {
      this.#bell.heard();
      for (const line of this.#lines.splice(0)) yield Buffer.from(line);
      await new Promise<void>((resolve) => {
        this.#bell.onRing(resolve);
        signal.addEventListener("abort", () => resolve());
      });
    }
  }
}

function connectionTo({ transport }: SlowWatch): EksConnection {
  const region = "eu-west-1";
  const requestHandler = {
    handle: async () => ({
      response: new HttpResponse({ statusCode: 200, body: Buffer.from(description) }),
    }),
  };
  return new EksConnection({
    eks: new EKSClient({ region, credentials, requestHandler }),
    clusterName: "demo",
    token: new EksToken({
      clusterName: "demo",
      region,
      credentials: async () => credentials,
      now: systemClock.now,
    }),
    pause: async () => undefined,
    open: (address, token) => new KubeConnection(address, token, transport),
  });
}

/** Names that are listed one list after another, and watched by their own. */
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

it("an event that a list has overtaken brings back nothing that is gone", async () => {
  const watch = new SlowWatch();
  const following = { connection: connectionTo(watch), clock: systemClock, bell: new Bell() };
  const follower = new Informer(namesListed(["5", "web"], ["9"]), following);
  onTestFinished(() => follower.close());
  await follower.start();
  expect(follower.items()).toEqual(["web"]);

  await follower.list();
  watch.tell("MODIFIED", "web", 7);
  watch.tell("ADDED", "late", 10);

  await vi.waitFor(() => expect(follower.items()).toContain("late"));
  expect(follower.items()).toEqual(["late"]);
});

it("an event that a list has overtaken takes away nothing that is there", async () => {
  const watch = new SlowWatch();
  const following = { connection: connectionTo(watch), clock: systemClock, bell: new Bell() };
  const follower = new Informer(namesListed(["5"], ["9", "web"]), following);
  onTestFinished(() => follower.close());
  await follower.start();

  await follower.list();
  watch.tell("DELETED", "web", 8);
  watch.tell("ADDED", "late", 10);

  await vi.waitFor(() => expect(follower.items()).toContain("late"));
  expect(follower.items()).toEqual(["web", "late"]);
});
