import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AuditEntry, mutatingVerbs } from "./audit-log.ts";
import { type EndedAtOnce, endedAtOnce } from "./ended-at-once.ts";
import { expectPodsStay, expectReleasedOnce } from "./stay-and-release.ts";

describe("twenty nodes of one group that terminate at once, on a real control plane", () => {
  let ended: EndedAtOnce;
  let written: readonly AuditEntry[];

  beforeAll(async () => {
    ended = await endedAtOnce({ count: 20, podsOfNode: 3 });
    const audit = await ended.world.controlPlane.audit({
      userAgent: "eks-node-lifecycle/",
      verbs: mutatingVerbs,
    });
    written = audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code < 400);
  }, 240_000);
  afterAll(async () => {
    await ended.world.stop();
  });

  it("are all released, each once", () => {
    expectReleasedOnce(ended);
  });

  it("are all marked before the first pod is evicted from any of them", () => {
    const firstEviction = written.findIndex(({ subresource }) => subresource === "eviction");
    const marked = written.slice(0, firstEviction).filter(({ resource }) => resource === "nodes");
    expect(new Set(marked.map(({ name }) => name))).toEqual(new Set(ended.leaving));
  });

  it("have no pod evicted twice, and no replacement that had landed on another leaving node", () => {
    const evicted = written.filter(({ subresource }) => subresource === "eviction");
    const names = evicted.map(({ name }) => name ?? "");
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !ended.before.has(name))).toEqual([]);
  });

  it("leave every pod running on the nodes that stay", () => expectPodsStay(ended));
});
