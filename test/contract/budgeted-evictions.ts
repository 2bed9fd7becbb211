import { describe, expect, vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const unready = { annotations: { "hollow/ready": "false" } };
const ofWeb = { labels: { app: "web" } };

async function ready(scene: Scene, name: string): Promise<Pod> {
  await scene.running(name, ofWeb);
  return scene.until(name, (pod) => pod.ready);
}

const ill = (scene: Scene, name: string): Promise<Pod> =>
  scene.running(name, { ...ofWeb, ...unready });

/** What budgets do to evictions. */
export const budgetedEvictions = (stage: () => Stage) =>
  describe("evicting a pod that a budget protects", () => {
    const it = sceneTest(stage);

    it("is blocked where no disruption is allowed, and names the budget", async ({ scene }) => {
      const pod = await ready(scene, "web");
      await scene.budget("web", { minAvailable: 1 }, 1);

      const answer = await scene.cluster.evict(pod, "own");

      expect(answer).toEqual({
        kind: "blocked",
        message: "The disruption budget web needs 1 healthy pods and has 1 currently",
        retryAfter: "unsaid",
      });
      await expect(scene.read("web")).resolves.toMatchObject({ termination: { kind: "active" } });
    });

    it("is only tried in a dry run: it takes nothing from the budget, and the pod stays", async ({
      scene,
    }) => {
      const [first, second] = await Promise.all([ready(scene, "web-1"), ready(scene, "web-2")]);
      await scene.budget("web", { minAvailable: 1 }, 2);

      const tried = [
        await scene.cluster.tryEviction(first),
        await scene.cluster.tryEviction(second),
      ];

      expect(tried).toEqual([{ kind: "accepted" }, { kind: "accepted" }]);
      const active = { termination: { kind: "active" } };
      await expect(scene.read("web-1")).resolves.toMatchObject(active);
      await expect(scene.cluster.evict(first, "own")).resolves.toEqual({ kind: "accepted" });
    });

    it("works while the budget allows a disruption, and is then blocked", async ({ scene }) => {
      const [first, second] = await Promise.all([ready(scene, "web-1"), ready(scene, "web-2")]);
      await scene.budget("web", { minAvailable: 1 }, 2);

      await expect(scene.cluster.evict(first, "own")).resolves.toEqual({ kind: "accepted" });

      await expect(scene.cluster.evict(second, "own")).resolves.toMatchObject({ kind: "blocked" });
    });

    it("is blocked for ten seconds by a budget without a status yet", async ({ scene }) => {
      const pod = await ready(scene, "web");
      await stage().holdBudgets();
      try {
        await stage().administrator.make(scene.budgetManifest("web", { minAvailable: 0 }));

        const answer = await scene.cluster.evict(pod, "own");

        expect(answer).toEqual({
          kind: "blocked",
          message: "The disruption budget web is still being processed by the server.",
          retryAfter: seconds(10),
        });
      } finally {
        await stage().releaseBudgets();
      }
      await vi.waitFor(
        async () => expect(await scene.cluster.evict(pod, "own")).toEqual({ kind: "accepted" }),
        patience,
      );
    });

    it("fails with two budgets, and the answer says so", async ({ scene }) => {
      const pod = await ready(scene, "web");
      await scene.budget("web", { minAvailable: 0 }, 1);
      const selector = { matchLabels: { app: "web" } };
      await scene.budget("also-web", { selector, minAvailable: 0 }, 1);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({
        kind: "overlapping-budgets",
        message:
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      });
    });

    it("works for a pod that is not ready while enough others are", async ({ scene }) => {
      const [pod] = await Promise.all([ill(scene, "web-1"), ready(scene, "web-2")]);
      await scene.budget("web", { minAvailable: 1 }, 2);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
    });

    it("is blocked for a pod that is not ready while too few others are", async ({ scene }) => {
      const pod = await ill(scene, "web");
      await scene.budget("web", { minAvailable: 1 }, 1);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({
        kind: "blocked",
        message: "The disruption budget web needs 1 healthy pods and has 0 currently",
        retryAfter: "unsaid",
      });
    });

    it("works for a pod that is not ready where its budget always allows that", async ({
      scene,
    }) => {
      const pod = await ill(scene, "web");
      const unhealthyPodEvictionPolicy = "AlwaysAllow";
      await scene.budget("web", { minAvailable: 1, unhealthyPodEvictionPolicy }, 1);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
    });

    it("works for a pod that has not started", async ({ scene }) => {
      const pod = await scene.pending("web", ofWeb);
      await scene.budget("web", { minAvailable: 1 }, 1);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
      await scene.until("web", ({ termination }) => termination.kind === "terminating");
    });

    it("works again for a pod that is already ending", async ({ scene }) => {
      const slow = { "hollow/term-seconds": "never" };
      const pod = await scene.running("web", { ...ofWeb, annotations: slow });
      await scene.cluster.evict(pod, "own");
      await scene.budget("web", { minAvailable: 1 }, 1);

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
    });
  });
