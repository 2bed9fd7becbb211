import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type NodeName, nodeName } from "../../lambda/base/ids.ts";
import { type Duration, hours, instant, milliseconds } from "../../lambda/base/time.ts";
import { type KubeCall, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { NodeReads } from "../../lambda/kubernetes/node-reads.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noon } from "../support/builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";

async function* textOf(body: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(body));
}

const sentNode = (name: string) => ({ metadata: { name, uid: name, resourceVersion: "1" } });

/** Reads through an API server that has every node, and notes which names each list asks for. */
function someReads(status = 200) {
  const asked: (readonly string[])[] = [];
  const address = {
    endpoint: new URL("https://127.0.0.1:9"),
    certificateAuthority: undefined,
    userAgent: "test",
  };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ path }) {
      const selector = new URL(path, address.endpoint).searchParams.get("labelSelector") ?? "";
      const names = /^kubernetes.io\/hostname in \((.*)\)$/.exec(selector)?.[1]?.split(",") ?? [];
      asked.push(names);
      return { status, headers: {}, body: textOf({ items: names.map(sentNode) }) };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
  const timeline = new VirtualTimeline(noon);
  const client = { ask: <T>(_doing: string, call: KubeCall<T>) => call(connection) };
  const clock = virtualClock(timeline);
  let back = 0;
  const reads = new NodeReads(client, {
    now: () => instant(clock.now() - back),
    sleep: (until, wakeup) => clock.sleep(instant(until + back), wakeup),
  });
  const listed = async (...names: readonly string[]): Promise<readonly NodeName[]> =>
    (await reads.listed(names.map(nodeName))).map(({ name }) => name);
  const setBack = (by: Duration): void => {
    back = by;
  };
  return { asked, timeline, listed, setBack };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `node-${at}`);

describe("the nodes that readers of one process look for", () => {
  it("are listed for all who ask in the same turn, with all the names that they may have", async () => {
    const { asked, listed } = someReads();
    const found = await Promise.all([listed("a", "i-a"), listed("b")]);
    expect(found).toEqual([
      ["a", "i-a", "b"],
      ["a", "i-a", "b"],
    ]);
    expect(asked).toEqual([["a", "i-a", "b"]]);
  });

  it("are not listed for a single reader, who goes on at once", async () => {
    const { asked, listed } = someReads();
    await expect(listed("a", "i-a")).resolves.toEqual([]);
    expect(asked).toEqual([]);
  });

  it("are listed together for all who ask within 30 ms of a read", async () => {
    const { asked, listed, timeline } = someReads();
    await listed("a");
    timeline.pass(milliseconds(10));
    const first = listed("b");
    timeline.pass(milliseconds(19));
    await setImmediate();
    const second = listed("c");
    timeline.pass(milliseconds(1));
    await Promise.all([first, second]);
    expect(asked).toEqual([["b", "c"]]);
  });

  it("are not waited for once 30 ms have passed since the last read", async () => {
    const { asked, listed, timeline } = someReads();
    await listed("a");
    timeline.pass(milliseconds(30));
    await expect(listed("b")).resolves.toEqual([]);
    expect(asked).toEqual([]);
  });

  it("are waited for no longer than 30 ms where the clock is set back", async () => {
    const { listed, setBack, timeline } = someReads();
    await listed("a");
    setBack(hours(1));
    const later = listed("b");
    timeline.pass(milliseconds(30));
    await expect(later).resolves.toEqual([]);
  });

  it("are no more than those of 40 readers in a list", async () => {
    const { asked, listed } = someReads();
    await Promise.all(numbered(50).map((name) => listed(name)));
    expect(asked.map((names) => names.length)).toEqual([40, 10]);
  });

  it("are left to each reader where the list is refused", async () => {
    const { asked, listed } = someReads(403);
    await expect(Promise.all([listed("a"), listed("b")])).resolves.toEqual([[], []]);
    expect(asked).toHaveLength(1);
  });

  it("are not looked for by names that no label can have, nor by none", async () => {
    const { asked, listed } = someReads();
    const long = "x".repeat(64);
    await Promise.all([listed("a"), listed(long), listed(), listed("b", long)]);
    expect(asked).toEqual([["a", "b"]]);
  });

  it("are not listed where all others ask for no name that a label can have", async () => {
    const { asked, listed } = someReads();
    await Promise.all([listed("a"), listed("x".repeat(64)), listed()]);
    expect(asked).toEqual([]);
  });
});
