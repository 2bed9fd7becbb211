import { expect, it } from "vitest";
import { mutatingVerbs } from "./audit-log.ts";
import { asked, drained, graceOf } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";

type Name = "chosen" | "dry" | "stopped";

/** What a drain of 30 s does with kubectl's manners, and what a dry run tells. */
export function manners(site: (name: Name) => DrainSite): void {
  it.concurrent("leaves a bare pod alone until its grace no longer fits, where it should stop on such pods", async () => {
    const at = site("stopped");
    await at.run(at.pod("web", graceOf(12)));

    const { outcome, action, requests, stayed } = await at.drain();

    const past = "DRAIN_STOP_ON, for no controller would put it up again";
    expect(outcome).toMatchObject({ forced: [`at-stopped/web: deleted past ${past}`] });
    expect(new Set(asked(requests))).toEqual(new Set(["delete web 200"]));
    for (const request of requests)
      expect(request.at).toBeGreaterThanOrEqual(action.startedAt + 18_000);
    expect(stayed).toEqual([]);
  });

  it.concurrent("evicts only the pods that the selector chooses, and waits for no other", async () => {
    const at = site("chosen");
    await at.run(at.pod("web", graceOf(5)), at.pod("other"));

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict web 201"]);
    expect(stayed).toEqual(["other"]);
  });

  it.concurrent("tells in a dry run what would be evicted and what not, and changes nothing", async () => {
    const at = site("dry");
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    await at.run(at.pod("web"), at.pod("free"), at.pod("kept", { annotations }));
    await at.holdBack("web");
    const before = await at.core.readNode({ name: at.name });

    const { outcome, action, stayed } = await at.drain();

    expect(outcome).toMatchObject({ kind: "dry-run", evicted: ["at-dry/free"], left: [] });
    expect(outcome).toHaveProperty(
      "held",
      expect.arrayContaining([
        expect.stringMatching(/^at-dry\/web: its eviction would be refused \(blocked\): .*hold/),
        "at-dry/kept: protected by its annotation karpenter.sh/do-not-disrupt: true",
      ]),
    );
    expect(action.end).toMatchObject({ result: "CONTINUE", by: "call" });
    expect(stayed).toEqual(["free", "kept", "web"]);
    const { metadata, spec } = await at.core.readNode({ name: at.name });
    expect({ labels: metadata?.labels, annotations: metadata?.annotations, spec }).toEqual({
      labels: before.metadata?.labels,
      annotations: before.metadata?.annotations,
      spec: before.spec,
    });
    const audit = await at.world.controlPlane.audit({
      userAgent: "eks-node-lifecycle/",
      verbs: mutatingVerbs,
    });
    const written = audit.filter(({ name }) => name === at.name);
    expect(written).toEqual([]);
  });
}
