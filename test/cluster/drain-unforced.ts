import { expect, it } from "vitest";
import { asked, graceOf } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";

type Name = "cordoned" | "denied" | "finalizer" | "twice" | "unforced";

/** What the drain reports of pods that are still there at the deadline, and does not do to them. */
export function unforced(site: (name: Name) => DrainSite): void {
  it.concurrent("releases the instance with the pod on it if force is off, and names the budget", async () => {
    const at = site("unforced");
    await at.run(at.pod("web", graceOf(15)));
    await at.holdBack("web", "guard");

    const { outcome, requests, stayed, action } = await at.drain();

    expect(outcome).toEqual({
      kind: "expired",
      left: [
        expect.stringMatching(
          /^at-unforced\/web: held for .* by budget at-unforced\/guard, which can never be met \(maxUnavailable 0\): raise it$/,
        ),
      ],
    });
    expect(requests).toEqual([]);
    expect(stayed).toEqual(["web"]);
    expect(action.end).toMatchObject({ result: "CONTINUE", by: "call" });
  });

  it.concurrent("names the finalizers of a pod that has ended but stays in the API", async () => {
    const at = site("finalizer");
    const { metadata, ...pod } = at.pod("web", graceOf(5));
    await at.run({ ...pod, metadata: { ...metadata, finalizers: ["example.com/hold"] } });

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual({
      kind: "expired",
      left: [
        expect.stringMatching(
          /^at-finalizer\/web: should have ended .* ago, finalizers example\.com\/hold$/,
        ),
      ],
    });
    expect(asked(requests)).toEqual(["evict web 201"]);
    expect(stayed).toEqual(["web"]);
  });

  it.concurrent("names the two budgets of a pod that nobody can evict", async () => {
    const at = site("twice");
    await at.run(at.pod("web", graceOf(5)), at.pod("other"));
    await at.holdBack("web", "first");
    await at.holdBack("web", "second");

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual({
      kind: "expired",
      left: [
        "at-twice/web: 2 budgets select it (at-twice/first, at-twice/second), and the API evicts no such pod: leave one",
      ],
    });
    expect(new Set(asked(requests))).toEqual(new Set(["evict other 201", "evict web 500"]));
    expect(stayed).toEqual(["web"]);
  });

  it.concurrent("names the webhook that has refused a pod's eviction until the deadline if force is off", async () => {
    const at = site("denied");
    await at.run(at.pod("web"), at.pod("other"));

    const { outcome, stayed } = await at.drain();

    expect(outcome).toEqual({
      kind: "expired",
      left: [
        expect.stringMatching(
          /^at-denied\/web: its eviction was refused \(denied\): admission webhook "guardian\.example\.com" denied the request: the guardian wants it to stay as it is$/,
        ),
      ],
    });
    expect(stayed).toEqual(["web"]);
  });

  it.concurrent("evicts nothing if it should only cordon nodes", async () => {
    const at = site("cordoned");
    await at.run(at.pod("web"));

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual({
      kind: "expired",
      left: ["at-cordoned/web: not evicted, for this deployment only cordons"],
    });
    expect(requests).toEqual([]);
    expect(stayed).toEqual(["web"]);
    const { spec } = await at.core.readNode({ name: at.name });
    expect(spec?.unschedulable).toBe(true);
  });
}
