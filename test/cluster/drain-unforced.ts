import { expect, it } from "vitest";
import { asked, graceOf } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";

type Name = "finalizer" | "twice";

/** What the drain reports of pods that are still there at the deadline, and does not do to them. */
export function unforced(site: (name: Name) => DrainSite): void {
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
}
