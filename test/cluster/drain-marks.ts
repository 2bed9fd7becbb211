import { AppsV1Api } from "@kubernetes/client-node";
import { expect, it, vi } from "vitest";
import { exclusionLabel, ownMark } from "../../lambda/drain/marking.ts";
import { asked, drained, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { daemonSet } from "./manifests.ts";
import { firstOf } from "./pod-history.ts";
import { patience } from "./site-pods.ts";

type Name = "agents" | "open";

/** The taint that the function puts on nodes here besides the cordon. */
export const ownTaint = { key: "example.com/draining", value: "true", effect: "NoSchedule" };

/** The marks of a node, and the pods that they keep away. */
export function marks(site: (name: Name) => DrainSite): void {
  it.concurrent("evicts the pods of DaemonSets last without waiting for them, and the taint keeps new ones away", async () => {
    const at = site("agents");
    const annotations = { "hollow/term-seconds": "15" };
    const own = { namespace: at.name, annotations };
    const spec = { ...onlyOn(at.name), tolerations: [] };
    const path = "/var/lib/kubelet/plugins_registry/";
    const volumes = [{ name: "registry", hostPath: { path } }];
    await at.apply(
      daemonSet({ ...own, name: "agent", spec }),
      daemonSet({ ...own, name: "csi", spec: { ...spec, volumes } }),
      daemonSet({ ...own, name: "net", spec: onlyOn(at.name) }),
    );
    await at.run(at.pod("web", { annotations: { "hollow/term-seconds": "4" } }));
    for (const name of ["agent", "csi", "net"]) await at.settled(name, 1);

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    const [agent = "", ...others] = stayed;
    expect(agent).toMatch(/^agent-/);
    expect(others).toEqual([expect.stringMatching(/^csi-/), expect.stringMatching(/^net-/)]);
    expect(asked(requests)).toEqual([`evict ${agent} 201`, "evict web 201"]);
    const history = await at.history(agent);
    expect(firstOf(history, agent, "ending")).toBeGreaterThan(firstOf(history, "web", "gone"));
    await vi.waitFor(async () => expect(await wanted(at, "agent")).toBe(0), patience);
    await at.settled("agent", 0);
  });

  it.concurrent("uncordons the node and removes its own marks when the instance returns to service midway", async () => {
    const at = site("open");

    const { spec, metadata } = await calledOff(at);

    expect(spec?.unschedulable).toBeUndefined();
    expect(spec?.taints ?? []).not.toContainEqual(ownTaint);
    expect(metadata?.labels).not.toHaveProperty([exclusionLabel]);
    expect(Object.keys(metadata?.annotations ?? {}).join()).not.toContain(ownMark);
  });
}

/** The number of nodes on which a DaemonSet wants a pod. */
async function wanted({ name: namespace, world }: DrainSite, name: string) {
  const apps = world.controlPlane.api(AppsV1Api);
  const { status } = await apps.readNamespacedDaemonSet({ name, namespace });
  return status?.desiredNumberScheduled;
}

/**
 * Puts the instance back into service during a drain that a budget holds up, and returns the node.
 */
async function calledOff(at: DrainSite) {
  await at.run(at.pod("web"));
  await at.holdBack("web");
  await at.terminate();
  await at.until("node-marked");
  expect((await at.core.readNode({ name: at.name })).spec?.taints).toContainEqual(ownTaint);
  const { register } = at.world.aws.autoScaling;
  register.putInstance({ ...register.findInstance(at.node.instanceId), state: "InService" });
  await at.until("mark-undone");
  expect(await at.outcome()).toMatchObject({ kind: "ignored" });
  await at.compare();
  expect(await at.requests()).toEqual([]);
  return at.core.readNode({ name: at.name });
}
