import { expect, it } from "vitest";
import { mutatingVerbs } from "./audit-log.ts";
import type { DrainSite } from "./drain-site.ts";

type Name = "dry";

/** What a dry run tells, and that it changes nothing. */
export function manners(site: (name: Name) => DrainSite): void {
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
