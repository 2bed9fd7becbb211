import { describe, expect, vi } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import type { NodeRemoval, NodeWrite } from "../../lambda/drain/drain.port.ts";
import type { Node } from "../../lambda/drain/node.ts";
import {
  backInServiceMarking,
  outOfServiceMarking,
  outOfServiceTaint,
} from "../../lambda/interruption/left-node.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const manifestOf = ({ name }: Node) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
const labelled = { metadata: { labels: { by: "other" } } };

/** What happens to the node of an instance that is gone. */
export const removingNodes = (stage: () => Stage) =>
  describe("removing a node", () => {
    const it = sceneTest(stage);

    // Controllers write to a new node too, and a removal gives way to every other writer.
    const answered = <T extends NodeRemoval | NodeWrite>(
      { readNode }: { readNode: (name: string) => Promise<Node> },
      { name }: Node,
      write: (node: Node) => Promise<T>,
    ): Promise<T> =>
      vi.waitFor(async () => {
        const answer = await write(await readNode(name));
        if (answer === "changed") throw new Error(`${name} is written by others all the time`);
        return answer;
      }, patience);
    const reader = (scene: Scene) => ({ readNode: (name: string) => scene.readNode(name) });

    it("removes it by its UID and version, so that no other node of its name goes", async ({
      scene,
    }) => {
      const node = await scene.node();

      const answer = await answered(reader(scene), node, (it) => scene.cluster.removeNode(it));

      expect(answer).toBe("removed");
      await expect(scene.cluster.node(node.name)).resolves.toBe("absent");
      const all = await stage().heard();
      const heard = all.filter(({ verb, name }) => verb === "delete" && name === node.name);
      expect(heard.at(-1)).toMatchObject({
        resource: "nodes",
        body: { preconditions: { uid: node.uid, resourceVersion: expect.any(String) } },
      });
    });

    it("gives way to whoever has written the node since it was read", async ({ scene }) => {
      const node = await scene.node();
      await stage().administrator.change(manifestOf(node), labelled);

      await expect(scene.cluster.removeNode(node)).resolves.toBe("changed");
      await expect(scene.readNode(node.name)).resolves.toMatchObject({ uid: node.uid });
    });

    it("says that a node stays which its finalizers keep", async ({ scene }) => {
      const finalizers = ["example.com/kept"];
      const node = await scene.node({ metadata: { finalizers } });

      const answer = await answered(reader(scene), node, (it) => scene.cluster.removeNode(it));

      expect(answer).toBe("kept");
      await expect(scene.readNode(node.name)).resolves.toMatchObject({ uid: node.uid });
      await stage().administrator.change(manifestOf(node), { metadata: { finalizers: null } });
      await vi.waitFor(async () => {
        expect(await scene.cluster.node(node.name)).toBe("absent");
      }, patience);
    });

    it("puts a node out of service, and back", async ({ scene }) => {
      const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" };
      const node = await scene.node({ spec: { taints: [gpu] } });
      const keysOf = async () => (await scene.readNode(node.name)).taints.map(({ key }) => key);

      await answered(reader(scene), node, (it) =>
        scene.cluster.mark(it, () => outOfServiceMarking(it)),
      );
      expect(await keysOf()).toEqual(expect.arrayContaining(["gpu", outOfServiceTaint.key]));

      await answered(reader(scene), node, (it) =>
        scene.cluster.mark(it, () => backInServiceMarking(it)),
      );
      expect(await keysOf()).toContain("gpu");
      expect(await keysOf()).not.toContain(outOfServiceTaint.key);
    });

    it("looks for it among the cordoned nodes", async ({ scene }) => {
      const instance = instanceId(`i-${String(Date.now()).padStart(17, "0")}`);
      const spec = { providerID: `aws:///eu-west-1a/${instance}` };
      const node = await scene.node({ spec });
      await expect(scene.cluster.nodesOf(instance, "cordoned")).resolves.toEqual([]);

      await stage().administrator.change(manifestOf(node), { spec: { unschedulable: true } });

      await vi.waitFor(async () => {
        const found = await scene.cluster.nodesOf(instance, "cordoned");
        expect(found).toMatchObject([{ name: node.name, unschedulable: true }]);
      }, patience);
    });
  });
