import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "./audit-log.ts";
import {
  type EndedAtOnce,
  endedAtOnce,
  expectPodsStay,
  expectReleasedOnce,
} from "./ended-at-once.ts";
import { ProcessFigures } from "./process-figures.ts";

describe("fifty nodes of one group that terminate at once, on a real control plane", () => {
  const figures = new ProcessFigures();
  let ended: EndedAtOnce;
  let requests: readonly AuditEntry[];

  beforeAll(async () => {
    ended = await endedAtOnce(50);
    const audit = await ended.world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
    // A watch has two entries in the log, but counts once.
    requests = audit.filter(({ verb, stage }) =>
      verb === "watch" ? stage === "ResponseStarted" : stage === "ResponseComplete",
    );
  }, 300_000);
  afterAll(async () => {
    figures.stop();
    await ended.world.stop();
  });

  it("are all released, each once", () => {
    expectReleasedOnce(ended);
  });

  // With 60 pods on a node, that is 1.25 requests a pod. A quiet machine needs nine for a node, a busy one more passes.
  it("cost one request for each pod and fifteen for each node, with Events", () => {
    const evictions = requests.filter(({ subresource }) => subresource === "eviction").length;
    expect(requests.length - evictions).toBeLessThanOrEqual(15 * ended.leaving.length);
    expect(evictions).toBeLessThanOrEqual(1.1 * ended.before.size);
  });

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
