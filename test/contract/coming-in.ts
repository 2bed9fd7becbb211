import { describe, expect } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { credentialsOf } from "./ground.ts";
import { aStranger, theFunction } from "./identities.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

/** Which callers the cluster accepts. */
export const comingIn = (stage: () => Stage) =>
  describe("a call to the cluster", () => {
    const it = sceneTest(stage);

    it("is repeated with a new token if the first is refused", async () => {
      const own = credentialsOf(theFunction.role);
      const signed = [{ ...own, secretAccessKey: "outdated" }, own];
      const { cluster } = stage().caller(theFunction.role, {
        credentials: async () => signed.shift() ?? own,
      });

      await expect(cluster.findNode(instanceId("i-0"), [])).resolves.toBe("absent");

      expect(signed).toEqual([]);
    });

    it("fails if the new token is refused too", async () => {
      const own = credentialsOf(theFunction.role);
      const outdated = { ...own, secretAccessKey: "outdated" };
      const signed = [outdated, outdated, own];
      const { cluster } = stage().caller(theFunction.role, {
        credentials: async () => signed.shift() ?? own,
      });

      await expect(cluster.findNode(instanceId("i-0"), [])).rejects.toThrow(
        "cluster.unauthorized: listing nodes: HTTP 401",
      );

      expect(signed).toEqual([own]);
    });

    it("is a fault for a role that the cluster does not know, whatever the call", async ({
      scene,
    }) => {
      const pod = await scene.pending("web");
      const { cluster } = stage().caller(aStranger);
      const unauthorized = { code: "cluster.unauthorized" };

      await expect(cluster.node(nodeName("none"))).rejects.toMatchObject(unauthorized);
      await expect(cluster.evict(pod, "own")).rejects.toMatchObject(unauthorized);
      await expect(cluster.remove(pod, seconds(1))).rejects.toMatchObject(unauthorized);
      await expect(cluster.follow(pod.node, new Wakeup())).rejects.toMatchObject(unauthorized);

      await expect(scene.read("web")).resolves.toMatchObject({ termination: { kind: "active" } });
    });
  });
