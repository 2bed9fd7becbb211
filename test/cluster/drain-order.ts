import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { asked, drained, granted, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import type { PodChange } from "./pod-history.ts";

type Name = "budget" | "closing" | "late";

/** The order in which pods leave, and the pods that arrive meanwhile. */
export function orderOfPods(site: (name: Name) => DrainSite): void {
  it.concurrent("deletes a pod after half a minute if its terminating namespace refuses evictions", async () => {
    const at = site("closing");
    await at.run(at.pod("web"));
    await at.core.deleteNamespace({ name: at.name });

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    const [refused, ...others] = requests;
    const last = others.at(-1);
    expect(refused).toMatchObject({ verb: "evict", pod: "web", code: 403 });
    expect(last).toMatchObject({ verb: "delete", uid: refused?.uid, code: 200 });
    expect(requests.filter(({ verb }) => verb === "delete")).toHaveLength(1);
    expect((last?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(29_000);
    expect(stayed).toEqual([]);
  });

  it.concurrent("finds a pod that was bound to the node a while after the mark", async () => {
    const at = site("late");
    await at.terminate();
    await at.until("node-marked");
    await setTimeout(2000);
    await at.core.createNamespacedPod({ namespace: at.name, body: at.pod("late") });

    const { outcome, requests, stayed } = await at.drained();

    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict late 201"]);
    expect(stayed).toEqual([]);
  });

  it.concurrent("evicts no more pods at a time than their budget allows", async () => {
    const at = site("budget");
    const refuge = `${at.name}-refuge`;
    const web = { name: "web", namespace: at.name, replicas: 3, spec: onlyOn(at.name, refuge) };
    const allows = { minAvailable: 2 };
    await at.apply(deployment(web), podDisruptionBudget({ ...web, app: "web", allows }));
    await at.settled("web", 3);
    await at.world.controlPlane.kubectlText("uncordon", refuge);
    const before = Object.keys(await at.uids());

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(new Set(asked(granted(requests)))).toEqual(
      new Set(before.map((pod) => `evict ${pod} 201`)),
    );
    expect(stayed).toEqual([]);
    const last = granted(requests).at(-1)?.pod ?? "";
    expect(fewestReady(await at.history(last))).toBe(2);
  });
}

/** The lowest number of ready pods after all pods had become ready. */
function fewestReady(history: readonly PodChange[]): number {
  const ready = new Set<string>();
  const counts = history.map(({ uid, state, ready: is }) => {
    if (is && state === "active") ready.add(uid);
    else ready.delete(uid);
    return ready.size;
  });
  return Math.min(...counts.slice(counts.indexOf(Math.max(...counts))));
}
