import { describe, expect } from "vitest";
import { type InstanceId, instanceId, type NodeName, nodeName } from "../../lambda/base/ids.ts";
import { clusterThatIsDown } from "./ground.ts";
import { theFunction } from "./identities.ts";
import type { Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

let instances = 0;
const freshInstance = () => {
  instances += 1;
  return `i-${String(instances).padStart(17, "f")}`;
};

/** Makes the node of an instance, whose hostname label has the name of the node unless another is given. */
async function joined(scene: Scene, label = "own", given = "") {
  const instance = instanceId(freshInstance());
  const name = nodeName(given === "" ? `joined-${instance}` : given);
  const hostname = label === "own" ? name : label;
  const labels: Record<string, string> =
    label === "no label" ? {} : { "kubernetes.io/hostname": hostname };
  const spec = { providerID: providerId(instance) };
  const { uid } = await scene.node({ metadata: { name, labels }, spec });
  return { instance, name, uid };
}

interface Joined {
  readonly instance: InstanceId;
  readonly name: NodeName;
}

/** What tells nodes apart. */
const identitiesOf = (nodes: readonly (Joined & { readonly uid: string })[]) =>
  nodes.map(({ name, uid }) => ({ name, uid }));

/** Looks for some nodes at the same time, by names that they may have. */
const findAll = ({ cluster }: Scene, nodes: readonly Joined[]) =>
  Promise.all(
    nodes.map(({ instance, name }) => cluster.nodeNamed(instance, [nodeName(instance), name])),
  );

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

    describe("together with the nodes of others", () => {
      it("takes one list instead of a read of each", async ({ scene }) => {
        const nodes = [await joined(scene), await joined(scene), await joined(scene)];

        expect(await findAll(scene, nodes)).toMatchObject(identitiesOf(nodes));

        const heard = await stage().heard();
        const about = heard.filter(({ uri }) => nodes.some(({ name }) => uri.includes(name)));
        // The scene reads each node that it makes.
        expect(about.map(({ verb }) => verb)).toEqual(["get", "get", "get", "list"]);
      });

      it("goes by the names and instances of nodes, whatever their labels say", async ({
        scene,
      }) => {
        const elsewhere = await joined(scene, "elsewhere");
        const nodes = [
          await joined(scene),
          await joined(scene, "no label"),
          elsewhere,
          await joined(scene, elsewhere.name),
          await joined(scene, "x", `long-${"x".repeat(60)}`),
        ];

        expect(await findAll(scene, nodes)).toMatchObject(identitiesOf(nodes));
      });

      it("takes no node of another instance, and finds none where there is none", async ({
        scene,
      }) => {
        const node = await joined(scene);
        const absent = { ...node, name: nodeName("none") };
        const other = { ...node, instance: instanceId(freshInstance()) };

        const found = await findAll(scene, [node, absent, other]);

        expect(found).toMatchObject([{ name: node.name }, "absent", "absent"]);
      });

      it("shows what was written a moment before", async ({ scene }) => {
        const nodes = [await joined(scene), await joined(scene)];
        const { administrator } = stage();
        for (const [index, { name }] of nodes.entries()) {
          const labels = { written: String(index) };
          await administrator.change(
            { kind: "Node", metadata: { name } },
            { metadata: { labels } },
          );
        }

        const found = await findAll(scene, nodes);

        expect(found).toMatchObject([{ labels: { written: "0" } }, { labels: { written: "1" } }]);
      });
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
