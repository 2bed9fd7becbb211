import { describe, expect } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { untilOf } from "./pod-facts.ts";
import type { Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const slow = { annotations: { "hollow/term-seconds": "never" } };

/** What an eviction without a budget does. */
export const evictingPods = (stage: () => Stage) =>
  describe("evicting a pod", () => {
    const it = sceneTest(stage);

    it("gives it the grace of its own spec", async ({ scene }) => {
      const pod = await scene.running("web", {
        ...slow,
        spec: { terminationGracePeriodSeconds: 40 },
      });
      const asked = Date.now();

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });

      const until = await untilOf(scene, "web");
      expect(until - asked).toBeGreaterThan(38_000);
      expect(until - asked).toBeLessThan(43_000);
    });

    it("gives it less grace when less time is left", async ({ scene }) => {
      const pod = await scene.running("web", {
        ...slow,
        spec: { terminationGracePeriodSeconds: 40 },
      });
      const asked = Date.now();

      await expect(scene.cluster.evict(pod, seconds(20))).resolves.toEqual({ kind: "accepted" });

      const until = await untilOf(scene, "web");
      expect(until - asked).toBeGreaterThan(18_000);
      expect(until - asked).toBeLessThan(23_000);
    });

    it("never reduces its grace to 0", async ({ scene }) => {
      const pod = await scene.running("web", {
        ...slow,
        spec: { terminationGracePeriodSeconds: 40 },
      });

      await expect(scene.cluster.evict(pod, seconds(0))).resolves.toEqual({ kind: "accepted" });

      await scene.gone("web");
      const all = await stage().heard();
      const [heard] = all.filter(
        ({ resource, uri }) => resource === "pods/eviction" && uri.includes(`/${scene.namespace}/`),
      );
      expect(heard?.body).toMatchObject({ deleteOptions: { gracePeriodSeconds: 1 } });
    });

    it("may follow a read of the pod, which distinguishes it from a new pod of its name", async ({
      scene,
    }) => {
      const { administrator } = stage();
      const pod = await scene.running("web", slow);
      const elsewhere = { ...pod, node: nodeName(stage().nodes[1]) };
      await expect(scene.cluster.lookUp(pod)).resolves.toMatchObject({
        kind: "there",
        pod: { uid: pod.uid, termination: { kind: "active" } },
      });
      await expect(scene.cluster.lookUp(elsewhere)).resolves.toEqual({ kind: "gone" });

      await scene.cluster.evict(pod, "own");
      await expect(scene.cluster.lookUp(pod)).resolves.toMatchObject({
        pod: { termination: { kind: "terminating" } },
      });

      await administrator.remove(scene.manifest("web"), 0);
      await administrator.make(scene.manifest("web"));
      await expect(scene.cluster.lookUp(pod)).resolves.toEqual({ kind: "gone" });
    });

    it("can only shorten the grace of a pod that is already ending", async ({ scene }) => {
      const pod = await scene.running("web", {
        ...slow,
        spec: { terminationGracePeriodSeconds: 40 },
      });
      await scene.cluster.evict(pod, "own");
      const first = await untilOf(scene, "web");

      await expect(scene.cluster.evict(pod, seconds(100))).resolves.toEqual({ kind: "accepted" });
      await expect(untilOf(scene, "web")).resolves.toBe(first);
      await expect(scene.cluster.evict(pod, seconds(30))).resolves.toEqual({ kind: "accepted" });

      await expect(untilOf(scene, "web")).resolves.toBe(first - 10_000);
    });

    it("finds that a pod is gone", async ({ scene }) => {
      const pod = await scene.running("web", { spec: { terminationGracePeriodSeconds: 1 } });
      await scene.cluster.evict(pod, "own");
      await scene.gone("web");

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "gone" });
    });

    it("does not touch a new pod that has taken the name", async ({ scene }) => {
      const pod = await replaced(scene, "running");

      const answer = await scene.cluster.evict(pod, "own");

      expect(answer).toMatchObject({ kind: "conflict", message: expect.stringContaining(pod.uid) });
      await expect(scene.read("web")).resolves.toMatchObject({ termination: { kind: "active" } });
    });

    it("does not touch a new pod of the name that has not started, although the answer takes long", async ({
      scene,
    }) => {
      const pod = await replaced(scene, "pending");
      const asked = Date.now();

      const answer = await scene.cluster.evict(pod, "own");

      expect(answer).toMatchObject({ kind: "conflict", message: expect.stringContaining(pod.uid) });
      expect(Date.now() - asked).toBeGreaterThan(8000);
      await expect(scene.read("web")).resolves.toMatchObject({ termination: { kind: "active" } });
    });

    const replaced = async (scene: Scene, state: "running" | "pending") => {
      const pod = await scene.running("web", { spec: { terminationGracePeriodSeconds: 1 } });
      await scene.cluster.evict(pod, "own");
      await scene.gone("web");
      const successor = await scene[state]("web");
      expect(successor.uid).not.toBe(pod.uid);
      return pod;
    };

    it("records on the pod why it goes", async ({ scene }) => {
      const pod = await scene.running("web", slow);

      await scene.cluster.evict(pod, "own");

      const { status } = await scene.core.readNamespacedPod(pod);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "DisruptionTarget", reason: "EvictionByEvictionAPI" }),
      );
    });

    it("waits for a finalizer, and ends when that is removed", async ({ scene }) => {
      const pod = await scene.held("web", { spec: { terminationGracePeriodSeconds: 1 } });

      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
      const ended = await scene.until("web", ({ phase }) => phase !== "Running");
      expect(ended).toMatchObject({
        finalizers: ["example.com/hold"],
        termination: { kind: "terminating" },
      });
      await scene.release("web");

      await scene.gone("web");
    });
  });
