import { describe, expect } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { untilOf } from "./pod-facts.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const slow = {
  annotations: { "hollow/term-seconds": "never" },
  spec: { terminationGracePeriodSeconds: 40 },
};
const swift = { spec: { terminationGracePeriodSeconds: 1 } };

/** What a deletion does, which no budget can stop. */
export const deletingPods = (stage: () => Stage) =>
  describe("deleting a pod", () => {
    const it = sceneTest(stage);

    it("ignores budgets, and gives the grace that is left", async ({ scene }) => {
      const pod = await scene.running("web", slow);
      await scene.budget("web", { minAvailable: 1 }, 1);
      const asked = Date.now();

      await expect(scene.cluster.remove(pod, seconds(20))).resolves.toEqual({ kind: "accepted" });

      const until = await untilOf(scene, "web");
      expect(until - asked).toBeGreaterThan(18_000);
      expect(until - asked).toBeLessThan(23_000);
      const all = await stage().heard();
      const heard = all.filter(({ uri }) => uri.includes(`/${scene.namespace}/`));
      expect(heard).toMatchObject([
        {
          verb: "delete",
          resource: "pods",
          body: { gracePeriodSeconds: 20, preconditions: { uid: pod.uid } },
        },
      ]);
    });

    it("never reduces its grace to 0", async ({ scene }) => {
      const pod = await scene.running("web", slow);

      await expect(scene.cluster.remove(pod, seconds(0))).resolves.toEqual({ kind: "accepted" });

      await scene.gone("web");
      const all = await stage().heard();
      const [heard] = all.filter(({ uri }) => uri.includes(`/${scene.namespace}/`));
      expect(heard?.body).toMatchObject({ gracePeriodSeconds: 1 });
    });

    it("can only shorten the grace of a pod that is already ending", async ({ scene }) => {
      const pod = await scene.running("web", slow);
      await scene.cluster.evict(pod, "own");
      const first = await untilOf(scene, "web");

      await expect(scene.cluster.remove(pod, seconds(100))).resolves.toEqual({ kind: "accepted" });
      await expect(untilOf(scene, "web")).resolves.toBe(first);
      await expect(scene.cluster.remove(pod, seconds(30))).resolves.toEqual({ kind: "accepted" });

      await expect(untilOf(scene, "web")).resolves.toBe(first - 10_000);
    });

    it("finds that a pod is gone", async ({ scene }) => {
      const pod = await scene.running("web", swift);
      await scene.cluster.remove(pod, seconds(1));
      await scene.gone("web");

      await expect(scene.cluster.remove(pod, seconds(1))).resolves.toEqual({ kind: "gone" });
    });

    it("does not touch a new pod that has taken the name", async ({ scene }) => {
      const pod = await scene.running("web", swift);
      await scene.cluster.remove(pod, seconds(1));
      await scene.gone("web");
      await scene.pending("web");

      const answer = await scene.cluster.remove(pod, seconds(1));

      expect(answer).toMatchObject({ kind: "conflict", message: expect.stringContaining(pod.uid) });
      await expect(scene.read("web")).resolves.toMatchObject({ termination: { kind: "active" } });
    });

    it("works in a namespace that is ending, where evictions do not", async ({ scene }) => {
      const pod = await scene.held("web", swift);
      const { namespace } = scene;
      await stage().administrator.remove({ kind: "Namespace", metadata: { name: namespace } });

      const refused = await scene.cluster.evict(pod, "own");

      expect(refused).toEqual({
        kind: "namespace-terminating",
        message: expect.stringContaining(`because it is being terminated`),
      });
      await expect(scene.cluster.remove(pod, seconds(1))).resolves.toEqual({ kind: "accepted" });
      await scene.release("web");
      await scene.gone("web");
    });

    it("on a silent node waits for the node", async ({ scene }) => {
      const [, , silent] = stage().nodes;
      const pod = await scene.running("web", { spec: { ...swift.spec, nodeName: silent } });
      await stage().pauseKubelet(silent);
      try {
        await expect(scene.cluster.remove(pod, seconds(1))).resolves.toEqual({ kind: "accepted" });
        await new Promise((resolve) => setTimeout(resolve, 3000));
        await expect(scene.read("web")).resolves.toMatchObject({ uid: pod.uid });
      } finally {
        await stage().resumeKubelet(silent);
      }
      await scene.gone("web");
    });
  });
