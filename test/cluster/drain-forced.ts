import { expect, it } from "vitest";
import { asked, drained, graceOf } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";

type Name = "ending" | "forced" | "guarded" | "unmarkable";

/** The first moment at which a grace of so many seconds no longer fits before the deadline. */
const threshold = (startedAt: number, grace: number): number => startedAt + (30 - grace) * 1000;

/**
 * What the drain does with pods that do not leave in time by themselves, in a drain of 30 s.
 *
 * The number of requests for a pod is left open: after a slow answer, the pod's end lies just after
 * the deadline, and the drain repeats its request.
 */
export function forced(site: (name: Name) => DrainSite): void {
  it.concurrent("deletes a pod that its budget holds for ever, with the grace that still fits", async () => {
    const at = site("forced");
    await at.run(at.pod("web", graceOf(15)));
    await at.holdBack("web", "guard");
    const { web } = await at.uids();

    const { outcome, action, requests, stayed } = await at.drain();

    const past = "budget at-forced/guard (maxUnavailable 0)";
    expect(outcome).toMatchObject({ kind: "forced", attached: [], stuck: [] });
    expect(outcome).toHaveProperty("forced.0", `at-forced/web: deleted past ${past}`);
    expect(at.told("pod-deleted")[0]).toMatchObject({ pod: "at-forced/web", past });
    const hold = { budget: "at-forced/guard", healthy: 1, allowed: 0, pods: ["at-forced/web"] };
    expect(at.told("pods-held")[0]).toMatchObject(hold);
    expect(at.told("pods-held")[0]?.at).toBeLessThan(action.startedAt + 10_000);
    expect(new Set(asked(requests))).toEqual(new Set(["delete web 200"]));
    for (const { at: when, uid, grace } of requests) {
      expect(when).toBeGreaterThanOrEqual(threshold(action.startedAt, 15));
      expect(uid).toBe(web);
      expect(grace).toBeGreaterThanOrEqual(1);
      expect(grace).toBeLessThan(15);
    }
    expect(stayed).toEqual([]);
  });

  it.concurrent("reports why a webhook denies an eviction, and deletes the pod when its grace no longer fits", async () => {
    const at = site("guarded");
    await at.run(at.pod("web", graceOf(15)), at.pod("other", graceOf(5)));

    const { outcome, action, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(new Set(asked(requests))).toEqual(
      new Set(["delete web 200", "evict other 201", "evict web 400"]),
    );
    const deleted = requests.find(({ verb }) => verb === "delete");
    expect(deleted?.at).toBeGreaterThanOrEqual(threshold(action.startedAt, 15));
    expect(at.told("pod-refused")[0]).toMatchObject({
      pod: "at-guarded/web",
      why: "denied",
      message: expect.stringContaining("the guardian wants it to stay as it is"),
    });
    expect(stayed).toEqual([]);
  });

  it.concurrent("shortens the grace of a pod that somebody else has deleted with an end after the deadline", async () => {
    const at = site("ending");
    const annotations = { "hollow/term-seconds": "15" };
    await at.run(at.pod("web", { annotations, ...graceOf(300) }));
    await at.core.deleteNamespacedPod({ name: "web", namespace: at.name });
    const { web } = await at.uids();

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(new Set(asked(requests))).toEqual(new Set(["delete web 200"]));
    for (const { uid, grace } of requests) {
      expect(uid).toBe(web);
      expect(grace).toBeLessThanOrEqual(30);
    }
    expect(stayed).toEqual([]);
  });

  it.concurrent("evicts the pods of a node that it cannot mark, after it has tried long enough", async () => {
    const at = site("unmarkable");
    await at.run(at.pod("web", graceOf(5)));

    const { outcome, action, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict web 201"]);
    expect(requests[0]?.at).toBeGreaterThanOrEqual(action.startedAt + 7000);
    expect(stayed).toEqual([]);
    expect((await at.core.readNode({ name: at.name })).spec?.unschedulable).toBeUndefined();
  });
}
