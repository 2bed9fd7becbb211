import { describe, expect } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const slow = { annotations: { "hollow/term-seconds": "never" } };

/** What an eviction leaves; the recorded answers say what the API server answers to it. */
export const evictingPods = (stage: () => Stage) =>
  describe("evicting a pod", () => {
    const it = sceneTest(stage);

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
  });
