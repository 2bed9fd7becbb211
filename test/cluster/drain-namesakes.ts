import { expect, it } from "vitest";
import { asked, drained, granted, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { podDisruptionBudget, statefulSet } from "./manifests.ts";

type Name = "kin" | "namesake" | "pending";

/** What the drain does with the pods of StatefulSets, whose replacements have the same names. */
export function namesakes(site: (name: Name) => DrainSite): void {
  it.concurrent("evicts each pod of a StatefulSet once, and never its namesake on another node", async () => {
    const at = site("kin");
    const refuge = `${at.name}-refuge`;
    const db = { name: "db", namespace: at.name, replicas: 2, spec: onlyOn(at.name, refuge) };
    const allows = { maxUnavailable: 1 };
    await at.apply(statefulSet(db), podDisruptionBudget({ ...db, app: "db", allows }));
    await at.settled("db", 2);
    await at.world.controlPlane.kubectlText("uncordon", refuge);
    const before = await at.uids();

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(asked(granted(requests))).toEqual(["evict db-0 201", "evict db-1 201"]);
    for (const { pod, uid } of requests) expect(uid).toBe(before[pod]);
    expect(stayed).toEqual([]);
    await at.settled("db", 2);
    const after = await at.uids();
    for (const name of ["db-0", "db-1"]) expect(after[name]).not.toBe(before[name]);
    expect(await at.requests()).toEqual(requests);
  });

  it.concurrent("leaves the namesake alone of a pod that it could not evict, when the budget allows evictions again", async () => {
    const at = site("namesake");
    const refuge = `${at.name}-refuge`;
    const spec = onlyOn(at.name, refuge);
    await at.apply(statefulSet({ name: "db", namespace: at.name, spec }));
    await at.run(at.pod("web"));
    await at.settled("db", 1);
    await at.holdBack("db", "hold-db");
    await at.holdBack("web", "hold-web");
    await at.world.controlPlane.kubectlText("uncordon", refuge);
    const before = await at.uids();
    await at.terminate();
    await at.until("pods-seen");
    await at.core.deleteNamespacedPod({ name: "db-0", namespace: at.name });
    await at.replaced("db-0", before["db-0"]);
    const after = await at.uids();
    await at.letGo("hold-db");
    await at.letGo("hold-web");

    const { outcome, requests, stayed } = await at.drained();

    expect(outcome).toEqual(drained);
    expect(asked(granted(requests))).toEqual(["evict web 201"]);
    expect(requests.map(({ uid }) => uid)).not.toContain(after["db-0"]);
    expect(stayed).toEqual([]);
    expect((await at.uids())["db-0"]).toBe(after["db-0"]);
  });

  it.concurrent("leaves the pending namesake of an evicted pod alone", async () => {
    const at = site("pending");
    const spec = onlyOn(at.name);
    await at.apply(statefulSet({ name: "db", namespace: at.name, spec }));
    await at.run(at.pod("slow", { annotations: { "hollow/term-seconds": "8" } }));
    await at.settled("db", 1);
    const before = await at.uids();

    const { outcome, requests } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict db-0 201", "evict slow 201"]);
    for (const { pod, uid } of requests) expect(uid).toBe(before[pod]);
    const { metadata, spec: now } = await at.read("db-0");
    expect(metadata?.uid).not.toBe(before["db-0"]);
    expect(metadata?.deletionTimestamp).toBeUndefined();
    expect(now?.nodeName).toBeUndefined();
  });
}
