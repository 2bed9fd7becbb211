import { describe, expect } from "vitest";
import { daemonSet } from "../cluster/manifests.ts";
import { theDeprived } from "./identities.ts";
import type { Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

/** How the function finds out whether the owner of a pod exists. */
export const daemonSets = (stage: () => Stage) =>
  describe("looking for a DaemonSet", () => {
    const it = sceneTest(stage);

    // No node has the label, so that the DaemonSet makes no pods.
    const agent = (scene: Scene) =>
      daemonSet({
        name: "agent",
        namespace: scene.namespace,
        spec: { nodeSelector: { no: "where" } },
      });

    it("finds one that exists", async ({ scene }) => {
      await stage().administrator.make(agent(scene));

      await expect(scene.cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("there");
    });

    it("finds none that does not exist", async ({ scene }) => {
      await expect(scene.cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("absent");
    });

    it("is a fault if the API server refuses", async ({ scene }) => {
      const { role = "" } = theDeprived.get("get daemonsets") ?? {};
      const { cluster } = stage().caller(role);
      await stage().administrator.make(agent(scene));

      await expect(cluster.daemonSet(scene.namespace, "agent")).resolves.toBe("unclear");
    });
  });
