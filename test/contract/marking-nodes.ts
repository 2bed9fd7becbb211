import { describe, expect, vi } from "vitest";
import { instant } from "../../lambda/base/time.ts";
import type { NodeWrite } from "../../lambda/drain/drain.port.ts";
import { type Marking, markingFor } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

/** The taint of these marks. */
export const taint = {
  key: "eks-node-lifecycle/terminating",
  value: "",
  effect: "NoSchedule",
  timeAdded: "",
};
const markOf = (node: Node): Marking =>
  markingFor(node, {
    taints: [taint],
    cause: { reason: "interrupted", deadline: instant(Date.parse("2026-11-20T10:01:45Z")) },
    at: instant(Date.parse("2026-11-20T10:00:00Z")),
  });

/** What a mark writes, and when it writes nothing. */
export const markingNodes = (stage: () => Stage) =>
  describe("marking a node", () => {
    const it = sceneTest(stage);

    // Controllers write to a new node too, and a mark gives way to every other writer.
    const marked = (scene: Scene, name: string): Promise<Node> =>
      vi.waitFor(async () => {
        const node = await scene.readNode(name);
        expect(await scene.cluster.mark(node, () => markOf(node))).toBe(
          "marked" satisfies NodeWrite,
        );
        return node;
      }, patience);

    it("writes label, annotations, cordon and taint with one patch", async ({ scene }) => {
      const { name } = await scene.node();

      const before = await marked(scene, name);

      const after = await scene.readNode(name);
      expect(after).toMatchObject({
        uid: before.uid,
        unschedulable: true,
        labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "eks-node-lifecycle" },
        annotations: {
          "eks-node-lifecycle/marked-at": "2026-11-20T10:00:00.000Z",
          "eks-node-lifecycle/cordoned": "true",
          "eks-node-lifecycle/reason": "interrupted",
          "eks-node-lifecycle/deadline": "2026-11-20T10:01:45.000Z",
        },
      });
      expect(after.taints).toContainEqual(taint);
      const all = await stage().heard();
      const heard = all.filter((it) => it.name === name && it.verb !== "get");
      expect(heard.filter(({ code }) => code === 200)).toMatchObject([
        { verb: "patch", resource: "nodes" },
      ]);
    });

    it("leaves the labels, annotations and taints of others as they are, with their times", async ({
      scene,
    }) => {
      const timeAdded = "2026-11-20T09:00:00Z";
      const { name } = await scene.node({
        metadata: { labels: { team: "blue" }, annotations: { note: "keep" } },
        spec: {
          taints: [
            { key: "gpu", value: "yes", effect: "NoSchedule" },
            { key: "leaving", effect: "NoExecute", timeAdded: timeAdded as unknown as Date },
          ],
        },
      });

      await marked(scene, name);

      const { labels, annotations, taints } = await scene.readNode(name);
      expect(labels).toMatchObject({ team: "blue" });
      expect(annotations).toMatchObject({ note: "keep" });
      expect(taints).toContainEqual({
        key: "gpu",
        value: "yes",
        effect: "NoSchedule",
        timeAdded: "",
      });
      expect(taints).toContainEqual({
        key: "leaving",
        value: "",
        effect: "NoExecute",
        timeAdded: "2026-11-20T09:00:00Z",
      });
    });

    it("gives way to an earlier writer, and writes nothing", async ({ scene }) => {
      const node = await scene.node();
      await stage().administrator.change(manifestOf(node), {
        metadata: { labels: { by: "other" } },
      });

      const answer = await scene.cluster.mark(node, () => markOf(node));

      expect(answer).toBe("changed");
      const after = await scene.readNode(node.name);
      expect(after).toMatchObject({ unschedulable: false, labels: { by: "other" } });
    });

    it("does not mark a new node of the name, whatever its version", async ({ scene }) => {
      const node = await scene.node();
      await stage().administrator.remove(manifestOf(node));
      const successor = await scene.node({ metadata: { name: node.name } });

      await vi.waitFor(async () => {
        const { resourceVersion } = await scene.readNode(node.name);
        const answer = scene.cluster.mark({ ...node, resourceVersion }, () => markOf(node));
        await expect(answer).rejects.toMatchObject({ code: "cluster.refused" });
      }, patience);

      await expect(scene.readNode(node.name)).resolves.toMatchObject({
        uid: successor.uid,
        unschedulable: false,
      });
    });
  });

const manifestOf = ({ name }: Node) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
