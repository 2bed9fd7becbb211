import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AuditEntry } from "./audit-log.ts";
import { type EndedAtOnce, endedAtOnce, running } from "./ended-at-once.ts";
import { ProcessFigures } from "./process-figures.ts";
import { requestsSince } from "./requests-since.ts";

/** Holds that each instance was released once. */
function expectReleasedOnce({ world, instances, actions }: EndedAtOnce): void {
  expect(actions.map(({ end }) => end)).toEqual(
    instances.map(() => expect.objectContaining({ result: "CONTINUE", by: "call" })),
  );
  expect(world.aws.calls.of("CompleteLifecycleAction")).toHaveLength(instances.length);
}

/** Holds that all pods run again, on the nodes that stay. */
async function expectPodsStay({ world, staying, before }: EndedAtOnce): Promise<void> {
  await vi.waitFor(
    async () => {
      const nodes = [...(await running(world)).values()];
      expect(nodes).toHaveLength(before.size);
      expect(new Set(nodes)).toEqual(new Set(staying));
    },
    { timeout: 60_000, interval: 500 },
  );
}

describe("fifty nodes of one group that terminate at once, on a real control plane", () => {
  const figures = new ProcessFigures();
  let ended: EndedAtOnce;
  let requests: readonly AuditEntry[];

  beforeAll(async () => {
    ended = await endedAtOnce({ count: 50, podsOfNode: 3 });
    requests = await requestsSince(ended.world, 0);
  }, 300_000);
  afterAll(async () => {
    figures.stop();
    await ended.world.stop();
  });

  it("are all released, each once", () => {
    expectReleasedOnce(ended);
  });

  // With 60 pods on a node, that is 1.18 requests a pod. One pass of each drain needs about seven for a node, on a busy machine further passes some more.
  it("cost one request for each pod and eleven for each node, with Events", ({ annotate }) => {
    const evictions = requests.filter(({ subresource }) => subresource === "eviction").length;
    void annotate(`${(requests.length - evictions) / ended.leaving.length} for each node`);
    expect(requests.length - evictions).toBeLessThanOrEqual(11 * ended.leaving.length);
    expect(evictions).toBeLessThanOrEqual(1.1 * ended.before.size);
  });

  // The drains go on without the marks that come to a halt, which a busy machine makes some do. A quiet machine sees none.
  it("have no pod evicted twice, and hardly one that had landed on another of them", () => {
    const evicted = requests.filter(
      ({ subresource, code = 0 }) => subresource === "eviction" && code < 300,
    );
    const names = evicted.map(({ name }) => name ?? "");
    expect(new Set(names).size).toBe(names.length);
    const landed = names.filter((name) => !ended.before.has(name));
    expect(landed.length).toBeLessThan(ended.before.size / 20);
  });

  // A quiet machine sees none.
  it("are marked by several processes with less than one conflict for each node", () => {
    const conflicts = requests.filter(({ code }) => code === 409);
    expect(conflicts.length).toBeLessThan(ended.leaving.length);
  });

  it("take half of the function's memory at most in each process", ({ annotate }) => {
    const { memory } = figures.figures();
    void annotate(`${Math.round(memory)} MB`);
    expect(memory).toBeGreaterThan(40);
    expect(memory).toBeLessThanOrEqual(256);
  });

  it("leave every pod running on the nodes that stay", () => expectPodsStay(ended));
});
