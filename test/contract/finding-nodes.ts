import { describe, expect } from "vitest";
import { instanceId, nodeName } from "../../lambda/domain/ids.ts";
import { clusterThatIsDown } from "./ground.ts";
import { theFunction } from "./identities.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

let instances = 0;
const freshInstance = () => {
  instances += 1;
  return `i-${String(instances).padStart(17, "f")}`;
};

const providerId = (instance: string) => `aws:///eu-west-1a/${instance}`;

/** How the function finds the node of an instance. */
export const findingNodes = (stage: () => Stage) =>
  describe("finding the node of an instance", () => {
    const it = sceneTest(stage);

    it("reads the node by the given name", async ({ scene }) => {
      const instance = freshInstance();
      const { name, uid } = await scene.node({ spec: { providerID: providerId(instance) } });

      const found = await scene.cluster.findNode(instanceId(instance), [nodeName("none"), name]);

      expect(found).toMatchObject({ name, uid, providerId: providerId(instance) });
    });

    it("looks through all nodes if no name leads to it", async ({ scene }) => {
      const instance = freshInstance();
      const { name } = await scene.node({ spec: { providerID: providerId(instance) } });

      const found = await scene.cluster.findNode(instanceId(instance), [nodeName("none")]);

      expect(found).toMatchObject({ name });
    });

    it("does not take another instance's node that has the name", async ({ scene }) => {
      const instance = freshInstance();
      const other = await scene.node({ spec: { providerID: providerId(freshInstance()) } });
      const own = await scene.node({ spec: { providerID: providerId(instance) } });

      const found = await scene.cluster.findNode(instanceId(instance), [other.name]);

      expect(found).toMatchObject({ name: own.name });
    });

    it("does not take a node of the right name without a provider ID", async ({ scene }) => {
      const unclaimed = await scene.node();

      const found = await scene.cluster.findNode(instanceId(freshInstance()), [unclaimed.name]);

      expect(found).toBe("absent");
    });

    it("finds none where the instance never joined", async ({ scene }) => {
      await expect(scene.cluster.findNode(instanceId(freshInstance()), [])).resolves.toBe("absent");
      await expect(scene.cluster.node(nodeName("none"))).resolves.toBe("absent");
    });

    it("is a fault while the API server is down", async () => {
      const { cluster } = stage().caller(theFunction.role, { cluster: clusterThatIsDown });

      const found = cluster.findNode(instanceId(freshInstance()), [nodeName("none")]);

      await expect(found).rejects.toMatchObject({ code: "cluster.unreachable" });
    });

    it("reads how ready a node is, and its taints", async ({ scene }) => {
      const [first] = stage().nodes;
      const paper = await scene.node({
        spec: { taints: [{ key: "own", value: "ours", effect: "NoExecute" }] },
      });

      await expect(scene.readNode(first)).resolves.toMatchObject({
        readiness: "ready",
        unschedulable: false,
      });
      const own = paper.taints.find(({ key }) => key === "own");
      expect(own).toMatchObject({ value: "ours", effect: "NoExecute" });
      expect(paper.readiness).toBe("not-ready");
    });
  });
