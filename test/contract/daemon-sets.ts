import { beforeEach, describe, expect, it } from "vitest";
import { daemonSet } from "../cluster/manifests.ts";
import { theDeprived } from "./cast.ts";
import { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

/** Whether the owner of a pod is there. */
export const daemonSets = (stage: () => Stage) =>
  describe("looking for a DaemonSet", () => {
    let scene: Scene;
    beforeEach(async () => {
      scene = await Scene.set(stage());
    });

    // No node has the label, so that it makes no pods.
    const agent = () =>
      daemonSet({
        name: "agent",
        namespace: scene.namespace,
        spec: { nodeSelector: { no: "where" } },
      });

    it("finds one that is there", async () => {
      await stage().administrator.make(agent());

      await expect(scene.cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("there");
    });

    it("finds none where there is none", async () => {
      await expect(scene.cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("absent");
    });

    it("does not take a refusal for an answer", async () => {
      const { role = "" } = theDeprived.get("get daemonsets") ?? {};
      const { cluster } = stage().caller(role);
      await stage().administrator.make(agent());

      await expect(cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("unclear");
    });
  });
